/*
 * runs - programs that are run from here, and what became of them.
 */
import { ask, events } from "./api.js";
import { byId, bytesText, element, timeText } from "./dom.js";
import { bundle, forget, imageType, Output, picture } from "./show.js";
import { save } from "./files.js";

const RESULTS_MOST = 30;
const PICTURE_MOST = 8000000; /* bytes: larger ones are only offered */
const WORDS = { wall_time: "out of time", cpu_time: "out of CPU time", memory: "out of memory", syscall: "a forbidden system call", output: "too much output", cancelled: "cancelled" };

let count = 0;
let running = null; /* an AbortController */

/* -- one result ------------------------------------------------------------------------------ */

function verdictText(result) {
  if (result.verdict === "exited")
    return `exited ${result.exit_code}`;
  if (result.verdict === "signalled")
    return `signal ${result.exit_code - 128}`;
  return WORDS[result.verdict] ?? String(result.verdict);
}

function isGood(result) {
  return result.verdict === "exited" && result.exit_code === 0;
}

function facts(result) {
  const words = [timeText(result.duration_ms)];
  if (result.cpu_ms !== undefined)
    words.push(`${timeText(result.cpu_ms)} CPU`);
  if (result.memory_peak_bytes)
    words.push(bytesText(result.memory_peak_bytes));
  if (result.truncated)
    words.push("output cut");
  if (result.lost)
    words.push("the session is lost");
  return words.map((word) => element("span", {}, word));
}

/* Pictures that it left are shown, one after the other. */
async function showPictures(files, place) {
  for (const file of files) {
    const type = imageType(file.path);
    if (!type || !file.file_id || file.size_bytes > PICTURE_MOST)
      continue;
    try {
      place.append(picture(await (await ask("GET", pathOf(file))).arrayBuffer(), type, file.path));
    } catch {
      /* It is in the list below, and can be asked for there. */
    }
  }
}

function pathOf(file) {
  return `v1/files/${encodeURIComponent(file.file_id)}`;
}

function leftFile(file) {
  const parts = [element("span.name", {}, file.path), element("span.quiet", {}, bytesText(file.size_bytes))];
  if (!file.file_id)
    return element("li", {}, ...parts, element("span.bad", {}, "there was no room for it"));
  return element("li", {}, ...parts, element("button.plain", { type: "button", "aria-label": `Save ${file.path}`, click: () => save(pathOf(file), file.path) }, "Save"));
}

class Result {
  constructor(where) {
    count++;
    this.title = `Run ${count}`;
    this.output = new Output();
    this.pieces = element("div.pieces");
    this.verdict = element("b.verdict", {}, "running");
    this.facts = element("span.facts");
    const name = element("h3", { id: `run-${count}` }, this.title);
    const remove = element("button.plain", { type: "button", "aria-label": `Remove ${this.title}`, click: () => this.remove() }, "Remove");
    this.node = element("article.panel.result", { "aria-labelledby": `run-${count}` }, element("div.head", {}, name, element("span.quiet", {}, where), this.verdict, this.facts, element("span.push"), remove), this.output.node, this.pieces);
  }

  remove() {
    forget(this.node);
    this.node.remove();
    if (!byId("results").querySelector("article"))
      byId("results").querySelector(".empty").hidden = false;
  }

  end(result) {
    this.verdict.textContent = verdictText(result);
    this.verdict.dataset.state = isGood(result) ? "ok" : "error";
    this.facts.replaceChildren(...facts(result));
    for (const [index, forms] of (result.displays ?? []).entries())
      (this.output.places[index] ?? this.pieces).append(bundle(forms));
    for (const forms of [...(result.value ? [result.value] : []), ...(result.figures ?? [])])
      this.pieces.append(bundle(forms));
    if (result.error?.traceback)
      this.output.add("stderr", [result.error.traceback].flat().join(""));
    if (result.lost_because)
      this.pieces.append(element("p.bad", {}, result.lost_because));
    if (result.files_truncated)
      this.pieces.append(element("p.bad", {}, "It left more than the files that are listed."));
    if (!result.files?.length)
      return;
    const pictures = element("div");
    showPictures(result.files, pictures);
    this.pieces.append(pictures, element("ul.rows", { "aria-label": "Files that it left" }, result.files.map(leftFile)));
  }

  fail(error, seconds) {
    const isStopped = error.name === "AbortError";
    const again = error.retryAfter ? ` Try again in ${error.retryAfter} s.` : "";
    this.verdict.textContent = isStopped ? "stopped" : `refused${error.status ? ` (${error.status})` : ""}`;
    this.verdict.dataset.state = "error";
    this.facts.replaceChildren(element("span", {}, timeText(seconds)));
    if (!isStopped)
      this.pieces.append(element("p.bad", { role: "alert" }, error.message + again));
  }
}

function put(result) {
  const all = byId("results");
  all.querySelector(".empty").hidden = true;
  all.prepend(result.node);
  for (const old of [...all.querySelectorAll("article")].slice(RESULTS_MOST)) {
    forget(old);
    old.remove();
  }
}

export function clearResults() {
  for (const old of byId("results").querySelectorAll("article")) {
    forget(old);
    old.remove();
  }
  byId("results").querySelector(".empty").hidden = false;
}

/* -- running --------------------------------------------------------------------------------- */

async function follow(result, path, asked, signal) {
  for await (const { name, data } of events(path, asked, signal)) {
    if (name === "output")
      result.output.add(data.stream, data.data);
    else if (name === "display")
      result.output.display(data.index);
    else if (name === "result")
      return data;
    else if (name === "error")
      throw new Error(data.message);
  }
  throw new Error("the connection has ended, and there is no result");
}

function inFreshCell(result, asked, signal) {
  return follow(result, "v1/execute/stream", asked, signal);
}

function inSession(result, session, asked, signal) {
  return follow(result, `v1/sessions/${encodeURIComponent(session)}/python/stream`, { code: asked.code, timeout_ms: asked.timeout_ms }, signal);
}

/*
 * Run a program. @session  its id, or "" for a cell of its own. @asked  as the API has it.
 * @where  for people.
 */
export async function run(session, asked, where) {
  if (running)
    return;
  const controller = new AbortController();
  const result = new Result(where);
  const began = performance.now();
  running = controller;
  byId("run").disabled = true;
  byId("stop").disabled = false;
  byId("said").textContent = `${result.title} has begun`;
  put(result);
  try {
    result.end(await (session ? inSession(result, session, asked, controller.signal) : inFreshCell(result, asked, controller.signal)));
  } catch (error) {
    result.fail(error, performance.now() - began);
  } finally {
    running = null;
    byId("run").disabled = false;
    byId("stop").disabled = true;
    byId("said").textContent = `${result.title}: ${result.verdict.textContent}`;
  }
}

export function stop() {
  running?.abort();
}
