/*
 * show - what a program has made, as elements.
 *
 * All of it comes from code that nobody knows. Text stays text; a picture is an img of bytes that
 * are named here, where no script of an SVG runs; of HTML only the words of a table are taken.
 */
import { element } from "./dom.js";

const IMAGES = { png: "image/png", jpg: "image/jpeg", jpeg: "image/jpeg", gif: "image/gif", webp: "image/webp", svg: "image/svg+xml" };
const ROWS_MOST = 200;
const COLUMNS_MOST = 50;
const TEXT_MOST = 2000000;

/* -- pictures -------------------------------------------------------------------------------- */

/* The type of a picture by its name, or undefined. */
export function imageType(name) {
  return IMAGES[name.split(".").at(-1).toLowerCase()];
}

/* An img of these bytes; it frees them when `forget` is called with it. */
export function picture(bytes, type, words) {
  const url = URL.createObjectURL(new Blob([bytes], { type }));
  return element("img.picture", { src: url, alt: words, error: (event) => event.target.replaceWith(element("p.bad", {}, `${words}: this is no picture`)) });
}

/* Free the bytes of all pictures below a node. */
export function forget(node) {
  for (const image of node.querySelectorAll("img.picture"))
    URL.revokeObjectURL(image.src);
}

function fromBase64(text) {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/* -- tables ---------------------------------------------------------------------------------- */

const ENTITIES = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'", nbsp: "\u00a0" };
const PIECES = /<(\/?)([a-z][a-z0-9]*)([^<>]*)>|[^<]+|</gi;

function decoded(text) {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{1,8}));/gi, (whole, decimal, hex, name) => {
    const code = decimal ? Number(decimal) : parseInt(hex, 16);
    return name ? (ENTITIES[name] ?? whole) : code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/* "rowspan" of attributes, within bounds. */
function span(attributes, name) {
  const found = new RegExp(`\\b${name}="?(\\d{1,4})`, "i").exec(attributes);
  return Math.min(Math.max(Number(found?.[1] ?? 1), 1), COLUMNS_MOST);
}

/* The cells between the first <table> and the last </table>: rows of {tag, attributes, text}. */
function cellsOf(html) {
  const rows = [];
  let cell = null;
  for (const [text, closing, name, attributes] of html.matchAll(PIECES)) {
    const tag = name?.toLowerCase();
    if (tag === "tr" && !closing)
      rows.push([]);
    if (["tr", "th", "td", "table"].includes(tag))
      cell = null;
    if (rows.length > ROWS_MOST)
      break;
    if ((tag === "th" || tag === "td") && !closing && rows.length && rows.at(-1).length < COLUMNS_MOST)
      rows.at(-1).push((cell = { tag, attributes, text: "" }));
    else if (!tag && cell)
      cell.text += decoded(text);
  }
  return rows.slice(0, ROWS_MOST).filter((row) => row.length);
}

/* The table of a text, or null. It is read here, so that no browser takes it for markup. */
function table(html) {
  const from = html.search(/<table[\s>]/i);
  const rows = from < 0 ? [] : cellsOf(html.slice(from, from + TEXT_MOST));
  if (!rows.length)
    return null;
  const drawn = rows.map((row) => element("tr", {}, row.map(({ tag, attributes, text }) => element(tag, { colspan: span(attributes, "colspan"), rowspan: span(attributes, "rowspan") }, text.trim()))));
  return element("div.scrolls", { tabindex: 0, role: "region", "aria-label": "Table" }, element("table.data", {}, element("tbody", {}, drawn)));
}

/* -- values ---------------------------------------------------------------------------------- */

/* A value in several forms: the best that can be shown safely. */
export function bundle(said) {
  const forms = Object(said);
  const text = String(forms["text/plain"] ?? "");
  try {
    if (typeof forms["image/png"] === "string")
      return picture(fromBase64(forms["image/png"]), "image/png", text || "figure");
    if (typeof forms["image/svg+xml"] === "string")
      return picture(forms["image/svg+xml"], "image/svg+xml", text || "figure");
    const rows = typeof forms["text/html"] === "string" ? table(forms["text/html"]) : null;
    if (rows)
      return rows;
  } catch {
    /* Then as text. */
  }
  return element("pre.output.value", {}, text.slice(0, TEXT_MOST));
}

/* -- output ---------------------------------------------------------------------------------- */

/* The output of a program, which grows, with what was displayed in its place. */
export class Output {
  constructor() {
    this.node = element("div");
    this.text = null; /* what the next output is added to */
    this.length = 0;
    this.places = [];
  }

  add(stream, text) {
    const room = TEXT_MOST - this.length;
    if (!text || room <= 0)
      return;
    if (!this.text)
      this.node.append((this.text = element("pre.output", this.length ? {} : { tabindex: 0, role: "region", "aria-label": "Output" })));
    const last = this.text.lastElementChild;
    const part = text.slice(0, room);
    this.length += part.length;
    if (last?.dataset.stream === stream)
      last.firstChild.appendData(part);
    else
      this.text.append(element(`span.${stream}`, { "data-stream": stream }, part));
    if (this.length === TEXT_MOST)
      this.text.append(element("span.quiet", {}, "\n[more is not shown]"));
  }

  /* Something was displayed here; the result will have it. */
  display(index) {
    const place = element("div.pieces");
    this.places[index] = place;
    this.node.append(place);
    this.text = null;
  }
}
