/*
 * chart - numbers of the last minutes as lines, and the last ones in words.
 */
import { drawn, element } from "./dom.js";

const WIDTH = 240;
const HEIGHT = 56;
const TOP = 4;

/* 1, 2 or 5 times a power of ten, at least as large. */
function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value * 0.999);
}

/* The line through values; a null is a gap. */
function path(values, most, count) {
  let text = "";
  let isDown = false;
  values.forEach((value, i) => {
    if (value !== null) {
      const x = ((count - values.length + i) * WIDTH) / (count - 1);
      const y = HEIGHT - 1 - (Math.min(value, most) / most) * (HEIGHT - 1 - TOP);
      text += `${isDown ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`;
      /* A point alone is seen as well. */
      if (!isDown && (values[i + 1] ?? null) === null)
        text += "h0.01";
    }
    isDown = value !== null;
  });
  return text;
}

export class Chart {
  /* @lines  names, in the order of the values. @format  a value as text. @least  of the scale. */
  constructor(title, lines, format, least, count) {
    Object.assign(this, { title, lines, format, least, count });
    this.scale = element("span.quiet.scale");
    this.words = lines.map(() => element("b"));
    this.paths = lines.map((_, i) => drawn(`path.line-${i}`));
    this.drawing = drawn("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" }, drawn("path.grid", { d: `M0 ${TOP}H${WIDTH}M0 ${HEIGHT - 1}H${WIDTH}` }), this.paths);
    const legend = lines.map((name, i) => element(`span.legend.line-${i}`, {}, name && `${name} `, this.words[i]));
    this.node = element("figure.chart", {}, element("figcaption", {}, element("span", {}, title), this.scale, element("span.legends", {}, legend)), this.drawing);
  }

  /* @values  a list for each line, oldest first. */
  show(values) {
    const most = roundUp(Math.max(this.least, ...values.flat().filter((value) => value !== null)));
    this.scale.textContent = this.format(most);
    values.forEach((line, i) => {
      const last = line.findLast((value) => value !== null);
      this.words[i].textContent = last === undefined ? "–" : this.format(last);
      this.paths[i].setAttribute("d", path(line, most, this.count));
    });
  }
}
