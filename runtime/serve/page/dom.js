/*
 * dom - elements made of names, attributes and text. What comes from a program or a server is only
 * ever text: there is no way from here to markup.
 */

/*
 * element("a.quiet", {href: "/docs"}, "the docs") - children are elements, texts or lists of them;
 * null is left out. An attribute that is a function is a listener; one that is null or false is left out.
 */
export function element(what, attributes = {}, ...children) {
  const [tag, ...classes] = what.split(".");
  return fill(document.createElement(tag), classes, attributes, children);
}

/* The same for a part of a drawing. */
export function drawn(what, attributes = {}, ...children) {
  const [tag, ...classes] = what.split(".");
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), classes, attributes, children);
}

function fill(node, classes, attributes, children) {
  if (classes.length)
    node.setAttribute("class", classes.join(" "));
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function")
      node.addEventListener(name, value);
    else if (value !== null && value !== false && value !== undefined)
      node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null));
  return node;
}

/* The one element of a page with this id. */
export function byId(id) {
  return document.getElementById(id);
}

/* 1234567 -> "1.2 MB" */
export function bytesText(bytes) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (bytes >= 1000 && unit < units.length - 1) {
    bytes /= 1000;
    unit++;
  }
  return `${unit && bytes < 100 ? bytes.toFixed(1) : Math.round(bytes)} ${units[unit]}`;
}

/* 12345 -> "12.3 s" */
export function timeText(ms) {
  if (ms < 10 && !Number.isInteger(ms))
    return `${ms.toFixed(1)} ms`;
  if (ms < 1000)
    return `${Math.round(ms)} ms`;
  if (ms < 120000)
    return `${(ms / 1000).toFixed(ms < 10000 ? 2 : 1)} s`;
  return ms < 7200000 ? `${Math.round(ms / 60000)} min` : `${Math.round(ms / 3600000)} h`;
}
