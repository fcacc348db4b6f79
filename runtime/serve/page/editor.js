/*
 * editor - a text field that knows how programs are indented. Escape gives Tab back to the browser,
 * until the field is left, so that nobody is caught in it.
 */
import { byId } from "./dom.js";

const INDENT = "    ";
const STORED = "glovebox-code";

/* Replace what is selected, so that the browser can undo it. */
function insert(field, text) {
  if (document.execCommand("insertText", false, text))
    return;
  field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
  field.dispatchEvent(new Event("input"));
}

function lineStart(field, at) {
  return field.value.lastIndexOf("\n", at - 1) + 1;
}

/* All lines of the selection, more or less indented. */
function shift(field, isLess) {
  const start = lineStart(field, field.selectionStart);
  const end = Math.max(field.selectionEnd, start);
  const lines = field.value.slice(start, end).split("\n");
  const changed = lines.map((line) => (isLess ? line.replace(/^ {1,4}/, "") : INDENT + line)).join("\n");
  if (changed === lines.join("\n"))
    return;
  field.setSelectionRange(start, end);
  insert(field, changed);
  field.setSelectionRange(start, start + changed.length);
}

function tab(field, isLess) {
  const isOneLine = !field.value.slice(field.selectionStart, field.selectionEnd).includes("\n");
  if (isOneLine && !isLess)
    insert(field, INDENT.slice((field.selectionStart - lineStart(field, field.selectionStart)) % 4));
  else
    shift(field, isLess);
}

function newLine(field) {
  const line = field.value.slice(lineStart(field, field.selectionStart), field.selectionStart);
  const indent = /^ */.exec(line)[0] + (/:\s*$/.test(line) ? INDENT : "");
  insert(field, `\n${indent}`);
}

function number(field) {
  const count = field.value.split("\n").length;
  byId("lines").textContent = Array.from({ length: count }, (_, i) => i + 1).join("\n");
}

/* Make the field an editor; `run` is called for Ctrl+Enter. */
export function edit(field, run, first) {
  let isTabFree = false;
  field.value = sessionStorage.getItem(STORED) ?? first;
  number(field);
  field.addEventListener("input", () => {
    sessionStorage.setItem(STORED, field.value);
    number(field);
  });
  field.addEventListener("scroll", () => {
    byId("lines").scrollTop = field.scrollTop;
  });
  field.addEventListener("blur", () => {
    isTabFree = false;
  });
  field.addEventListener("keydown", (event) => {
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey))
      run();
    else if (event.key === "Tab" && isPlain && !isTabFree)
      tab(field, event.shiftKey);
    else if (event.key === "Enter" && isPlain && !event.shiftKey && !event.isComposing)
      newLine(field);
    else {
      if (event.key === "Escape")
        isTabFree = true;
      return;
    }
    event.preventDefault();
  });
}
