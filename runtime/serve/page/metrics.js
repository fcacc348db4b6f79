/*
 * metrics - Prometheus' text format, and what can be known from two looks at it.
 */

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

function number(text) {
  return text === "+Inf" ? Infinity : Number(text);
}

/* All samples by name: lists of {labels, value}. */
export function parse(text) {
  const found = new Map();
  for (const line of text.split("\n")) {
    const match = line.startsWith("#") ? null : SAMPLE.exec(line);
    if (!match)
      continue;
    const labels = Object.fromEntries([...(match[2] ?? "").matchAll(LABEL)].map((label) => [label[1], label[2]]));
    if (!found.has(match[1]))
      found.set(match[1], []);
    found.get(match[1]).push({ labels, value: number(match[3]) });
  }
  return found;
}

/* The sum of a metric over all its labels; null if there is none. */
export function total(samples, name, wanted = () => true) {
  const list = samples.get(name)?.filter(({ labels }) => wanted(labels));
  return list?.length ? list.reduce((sum, { value }) => sum + value, 0) : null;
}

/* The buckets of a histogram over all its labels: bound to count, not cumulative, in order. */
function buckets(samples, name) {
  const sums = new Map();
  for (const { labels, value } of samples.get(`${name}_bucket`) ?? []) {
    const bound = number(labels.le);
    sums.set(bound, (sums.get(bound) ?? 0) + value);
  }
  let before = 0;
  return [...sums].sort(([a], [b]) => a - b).map(([bound, value]) => {
    const one = [bound, value - before];
    before = value;
    return one;
  });
}

/*
 * Quantiles of what a histogram has counted between two looks, in its unit; null if that was
 * nothing. They are as exact as its buckets.
 */
export function quantiles(older, newer, name, wanted) {
  const before = new Map(buckets(older, name));
  const counts = buckets(newer, name).map(([bound, count]) => [bound, count - (before.get(bound) ?? 0)]);
  const all = counts.reduce((sum, [, count]) => sum + count, 0);
  return wanted.map((share) => (all > 0 ? quantile(counts, all * share) : null));
}

function quantile(counts, rank) {
  let below = 0;
  let from = 0;
  for (const [bound, count] of counts) {
    if (count && below + count >= rank)
      return bound === Infinity ? from : from + ((bound - from) * (rank - below)) / count;
    below += count;
    from = bound === Infinity ? from : bound;
  }
  return from;
}
