/*
 * executions - what runs for this key, wherever it was asked for, and what ran last.
 */
import { ask, askJson } from "./api.js";
import { byId, element, timeText } from "./dom.js";
import { shortName } from "./sessions.js";

const EVERY_MS = 5000;
const NAMES = { execute: "program", execute_stream: "program", session_create: "new session", session_python: "Python", session_bash: "command", mcp: "MCP" };

let drawn = "";

function nameOf(one) {
  const name = NAMES[one.operation] ?? one.operation;
  return one.session_id ? `${name} in ${shortName(one.session_id)}` : name;
}

/* -- what runs ------------------------------------------------------------------------------- */

async function interrupt(id) {
  try {
    await ask("POST", `v1/sessions/${encodeURIComponent(id)}/interrupt`, { json: {} });
    byId("said").textContent = `The call in session ${shortName(id)} is interrupted`;
  } catch (error) {
    byId("said").textContent = error.message;
  }
  await refreshExecutions();
}

function runningRow(one) {
  const isCall = one.operation === "session_python" || one.operation === "session_bash";
  const label = `Interrupt ${nameOf(one)}`;
  const button = isCall && !one.waiting ? element("button.plain", { type: "button", "aria-label": label, click: () => interrupt(one.session_id) }, "Interrupt") : null;
  return element("li", {}, element("span.name", { title: one.request_id }, nameOf(one)), element("span.quiet", {}, `${one.waiting ? "waits" : "runs"} for ${timeText(one.age_ms)}`), button);
}

/* -- what ran -------------------------------------------------------------------------------- */

function verdictOf(one) {
  if (one.error)
    return ["failed", "error", one.error];
  if (one.verdict === null)
    return ["begun", "ok", ""];
  if (one.verdict === "exited")
    return [`exited ${one.exit_code}`, one.exit_code === 0 ? "ok" : "error", ""];
  return [one.verdict.replace("_", " "), "error", ""];
}

function recentRow(one) {
  const [word, state, why] = verdictOf(one);
  const time = new Date(one.time).toLocaleTimeString();
  const took = one.duration_ms === null ? "" : timeText(one.duration_ms);
  return element("li", {}, element("span.quiet", { title: one.time }, time), element("span.name", { title: one.request_id }, nameOf(one)), element("span.quiet", {}, took), element("b.verdict", { "data-state": state, title: why || null }, word));
}

/* -- both ------------------------------------------------------------------------------------ */

/* Who has the keyboard on a row keeps it there. */
function fill(list, rows) {
  const label = list.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
  list.replaceChildren(...rows);
  if (label)
    [...list.querySelectorAll("button")].find((one) => one.getAttribute("aria-label") === label)?.focus();
}

export async function refreshExecutions() {
  let said;
  try {
    said = await askJson("GET", "v1/executions", { quietly: true });
  } catch {
    return; /* the bar says what is wrong with the server, or the dialog with the key */
  }
  fill(byId("running"), said.running.map(runningRow));
  byId("nothing-runs").hidden = said.running.length > 0;
  byId("nothing-ran").hidden = said.recent.length > 0;
  const now = JSON.stringify(said.recent.map((one) => one.request_id + one.time));
  if (now !== drawn)
    fill(byId("recent"), said.recent.map(recentRow));
  drawn = now;
}

/* Again and again while somebody sees it. */
export function watchExecutions() {
  refreshExecutions();
  setInterval(() => document.hidden || byId("key-dialog").open || refreshExecutions(), EVERY_MS);
}
