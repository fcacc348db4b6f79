/*
 * sessions - those of this key: begun, used, marked, taken back and ended.
 */
import { ask, askJson } from "./api.js";
import { byId, element, timeText } from "./dom.js";

const STORED = "glovebox-checkpoints";

let known = [];
let chosen = "";
let marks = JSON.parse(sessionStorage.getItem(STORED) ?? "{}"); /* of each session: those made here */
const refused = {}; /* of each session: the checkpoint to which a rollback was refused for threads */
const wanted = {}; /* of each session: the checkpoint to return to, if not the last */
let whenChosen = () => {};

/* "code-session-0123..." is long; its end tells it from others. */
export function shortName(id) {
  return id.slice(-8);
}

function failed(error) {
  byId("said").textContent = error.message;
}

function path(id, action = "") {
  return `v1/sessions/${encodeURIComponent(id)}${action}`;
}

/* Programs run there from now on; "" is a cell of their own. */
function choose(id) {
  chosen = id;
  drawTargets();
  drawRows();
  return whenChosen(id);
}

async function act(words, work) {
  try {
    const more = await work();
    byId("said").textContent = typeof more === "string" ? `${words}${more}` : words;
  } catch (error) {
    failed(error);
  }
  await refreshSessions();
  await whenChosen(chosen);
}

/* -- checkpoints ----------------------------------------------------------------------------- */

function keepMarks() {
  const living = new Set(known.map((session) => session.session_id));
  marks = Object.fromEntries(Object.entries(marks).filter(([id]) => living.has(id)));
  sessionStorage.setItem(STORED, JSON.stringify(marks));
}

async function checkpoint(id) {
  const name = `page-${Date.now().toString(36)}`;
  const { threads } = await askJson("POST", path(id, "/checkpoint"), { json: { name } });
  marks[id] = [...(marks[id] ?? []), { name, time: new Date().toLocaleTimeString() }];
  delete wanted[id];
  const lost = threads.filter(({ remade }) => !remade).map(({ name: of, count }) => `${count} of ${of}`);
  return lost.length ? `; a rollback would end threads: ${lost.join(", ")}` : "";
}

/* A second click insists. */
async function rollback(id) {
  const name = markToReturnTo(id);
  const force = refused[id] === name;
  delete refused[id];
  try {
    await ask("POST", path(id, "/rollback"), { json: { name, force } });
  } catch (error) {
    if (error.status !== 409 || !error.message.endsWith("force does it all the same"))
      throw error;
    refused[id] = name;
    throw new Error(`${error.message}: Rollback once more`);
  }
}

function markToReturnTo(id) {
  return wanted[id] ?? marks[id]?.at(-1)?.name;
}

/* Which one, if there are several. */
function markChoice(id) {
  if ((marks[id] ?? []).length < 2)
    return null;
  const options = marks[id].map(({ name, time }) => element("option", { value: name, selected: name === markToReturnTo(id) }, time));
  return element("select", { "aria-label": `Checkpoint of ${shortName(id)}`, change: ({ target }) => (wanted[id] = target.value) }, options);
}

/* -- what is seen ---------------------------------------------------------------------------- */

/* Not while it is as it was: somebody may have just opened it. */
function drawTargets() {
  const now = JSON.stringify([chosen, known.map((session) => session.session_id)]);
  if (byId("target").dataset.drawn === now)
    return;
  byId("target").dataset.drawn = now;
  const option = (value, text) => element("option", { value, selected: value === chosen }, text);
  byId("target").replaceChildren(option("", "a fresh cell"), ...known.map(({ session_id: id }) => option(id, `session ${shortName(id)}`)));
}

function about(session) {
  const words = [`${session.calls} ${session.calls === 1 ? "call" : "calls"}`];
  if (session.checkpoints)
    words.push(`${session.checkpoints} ${session.checkpoints === 1 ? "checkpoint" : "checkpoints"}`);
  if (session.busy)
    words.push("busy");
  else if (session.frozen)
    words.push("frozen");
  else
    words.push(`idle ${timeText(session.idle_ms)}`);
  return words.join(", ");
}

function row(session) {
  const id = session.session_id;
  const name = shortName(id);
  const button = (word, work, is = false) => element("button.plain", { type: "button", "aria-label": `${word} ${name}`, disabled: is, click: work }, word);
  const post = (action, json) => ask("POST", path(id, action), { json });
  return element(
    "li", { "aria-current": id === chosen ? "true" : null },
    element("span.name.mono", { title: id }, name),
    element("span.quiet", {}, about(session)),
    element(
      "span.buttons", {},
      button("Use", () => choose(id), id === chosen),
      button("Checkpoint", () => act(`Session ${name}: this state is kept`, () => checkpoint(id))),
      button("Rollback", () => act(`Session ${name} is as it was`, () => rollback(id)), !markToReturnTo(id)),
      markChoice(id),
      button("Freeze", () => act(`Session ${name} sleeps until the next call`, () => post("/freeze", {})), session.frozen),
      button("End", () => act(`Session ${name} has ended`, () => ask("DELETE", path(id)))),
    ),
  );
}

function drawRows() {
  const focused = document.activeElement?.getAttribute("aria-label");
  byId("sessions").replaceChildren(...known.map(row));
  byId("no-sessions").hidden = known.length > 0;
  if (focused)
    [...byId("sessions").querySelectorAll("button, select")].find((one) => one.getAttribute("aria-label") === focused)?.focus();
}

/* -- what is done ---------------------------------------------------------------------------- */

export async function refreshSessions() {
  try {
    const said = await askJson("GET", "v1/sessions");
    known = said.sessions.sort((a, b) => b.created_at - a.created_at);
    keepMarks();
    byId("sessions-panel").hidden = false;
  } catch (error) {
    byId("sessions-panel").hidden = error.status === 404; /* a server without sessions */
    known = [];
  }
  if (chosen && !known.some((session) => session.session_id === chosen))
    await choose("");
  else {
    drawTargets();
    drawRows();
  }
}

export function beginSession() {
  return act("A new session", async () => {
    const made = await askJson("POST", "v1/sessions", { json: {} });
    known = [{ ...made, created_at: Date.now() / 1000, calls: 0, idle_ms: 0 }, ...known];
    await choose(made.session_id);
  });
}

/* @chosen  called with the id of the session that programs are to run in, or "". */
export function drawSessions(listener) {
  whenChosen = listener;
  byId("target").addEventListener("change", ({ target }) => choose(target.value));
  drawTargets();
}
