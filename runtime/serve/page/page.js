/*
 * page - a workbench: what the server does, and programs to try. It is a client of the API as any
 * other, and knows nothing that the API does not say.
 */
import { keepKey, knownKey, wanting } from "./api.js";
import { byId } from "./dom.js";
import { edit } from "./editor.js";
import { filesToStage, refreshFiles, showFilesOf, upload } from "./files.js";
import { refreshExecutions, watchExecutions } from "./executions.js";
import { drawGauges, watch } from "./gauges.js";
import { clearResults, run, stop } from "./runs.js";
import { beginSession, drawSessions, refreshSessions, shortName } from "./sessions.js";

const REFRESH_MS = 15000; /* beside what is done here: sessions end, and others begin some */
const FIRST = `import sys

print("Python", sys.version.split()[0])
sum(n * n for n in range(1000))
`;

/* -- the key --------------------------------------------------------------------------------- */

function askForKey(why) {
  const dialog = byId("key-dialog");
  if (dialog.open)
    return;
  byId("key-error").textContent = why;
  byId("key").value = knownKey();
  dialog.showModal();
}

function takeKey(event) {
  event.preventDefault();
  keepKey(byId("key").value.trim());
  byId("key-dialog").close();
  refresh();
}

function drawKey() {
  wanting.key = () => askForKey(knownKey() ? "The server does not know this key." : "");
  byId("key-button").addEventListener("click", () => askForKey(""));
  byId("key-form").addEventListener("submit", takeKey);
  byId("key-cancel").addEventListener("click", () => byId("key-dialog").close());
  byId("key-forget").addEventListener("click", () => {
    keepKey("");
    byId("key-dialog").close();
  });
}

/* -- programs -------------------------------------------------------------------------------- */

async function runProgram() {
  const session = byId("target").value;
  const asked = { code: byId("code").value, timeout_ms: Number(byId("timeout").value) };
  if (!session) {
    asked.files = filesToStage();
    asked.stdin = byId("stdin").value || null;
  }
  await run(session, asked, session ? `in session ${shortName(session)}` : "in a fresh cell");
  refresh();
}

async function refresh() {
  await refreshSessions();
  await refreshFiles();
  await refreshExecutions();
}

function begin() {
  drawKey();
  drawGauges();
  drawSessions(showFilesOf);
  edit(byId("code"), runProgram, FIRST);
  byId("run").addEventListener("click", runProgram);
  byId("stop").addEventListener("click", stop);
  byId("clear").addEventListener("click", clearResults);
  byId("new-session").addEventListener("click", beginSession);
  byId("upload").addEventListener("change", async ({ target }) => {
    await upload([...target.files]);
    target.value = "";
  });
  watch();
  watchExecutions();
  showFilesOf("").then(refreshSessions);
  setInterval(() => document.hidden || byId("key-dialog").open || refreshSessions(), REFRESH_MS);
}

begin();
