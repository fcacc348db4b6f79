/*
 * files - those of the store, or those of the session that programs are run in.
 */
import { ask, askJson } from "./api.js";
import { byId, bytesText, element } from "./dom.js";

let session = "";
const chosen = new Map(); /* file_id to the path that programs get it under */

function failed(error) {
  byId("said").textContent = error.message;
}

/* Ask for a file, and have the browser keep it. Its bytes are never shown as a page. */
export async function save(path, name) {
  try {
    const bytes = await (await ask("GET", path)).arrayBuffer();
    const url = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
    element("a", { href: url, download: name.split("/").at(-1) }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60000);
  } catch (error) {
    failed(error);
  }
}

function button(word, name, act) {
  return element("button.plain", { type: "button", "aria-label": `${word} ${name}`, click: act }, word);
}

async function remove(path) {
  try {
    await ask("DELETE", path);
  } catch (error) {
    failed(error);
  }
  await refreshFiles();
}

/* -- of the store ---------------------------------------------------------------------------- */

function storedRow(file) {
  const path = `v1/files/${encodeURIComponent(file.file_id)}`;
  const box = element("input", {
    type: "checkbox",
    checked: chosen.has(file.file_id),
    change: ({ target }) => (target.checked ? chosen.set(file.file_id, file.filename) : chosen.delete(file.file_id)),
  });
  return element("li", {}, element("label.name", { title: `Give ${file.filename} to the next program` }, box, file.filename), element("span.quiet", {}, bytesText(file.size_bytes)), button("Save", file.filename, () => save(path, file.filename)), button("Delete", file.filename, () => remove(path)));
}

async function storedRows() {
  const { files } = await askJson("GET", "v1/files");
  const there = new Set(files.map((file) => file.file_id));
  for (const id of chosen.keys())
    there.has(id) || chosen.delete(id);
  return files.sort((a, b) => b.upload_time - a.upload_time).map(storedRow);
}

/* What the next program gets: as the API has it. */
export function filesToStage() {
  return [...chosen].map(([file_id, path]) => ({ path, file_id }));
}

/* -- of a session ---------------------------------------------------------------------------- */

function inSession(path) {
  return `v1/sessions/${encodeURIComponent(session)}/files${path.map((part) => `/${encodeURIComponent(part)}`).join("")}`;
}

function sessionRow(file) {
  const where = inSession(file.path.split("/"));
  const isFile = file.type === "file";
  return element("li", {}, element("span.name", {}, isFile ? file.path : `${file.path} (${file.type})`), element("span.quiet", {}, isFile ? bytesText(file.size) : ""), isFile ? button("Save", file.path, () => save(where, file.path)) : null, button("Delete", file.path, () => remove(where)));
}

async function sessionRows() {
  const { files } = await askJson("GET", inSession([]));
  return files.filter((file) => typeof file.path === "string").map(sessionRow);
}

/* -- both ------------------------------------------------------------------------------------ */

function drawFiles(rows, otherwise) {
  byId("files").replaceChildren(...rows);
  byId("no-files").hidden = rows.length > 0;
  byId("no-files").textContent = otherwise;
}

export async function refreshFiles() {
  const of = session;
  try {
    const rows = await (session ? sessionRows() : storedRows());
    if (of !== session)
      return;
    drawFiles(rows, "There are none.");
  } catch (error) {
    if (of === session)
      drawFiles([], error.message);
  }
}

/* Show those of a session, or with "" those of the store. */
export function showFilesOf(id) {
  session = id;
  byId("files-title").textContent = id ? "Files in /workspace" : "Files";
  byId("files-about").textContent = id ? "Those of the session." : "Those that are ticked are given to the next program.";
  return refreshFiles();
}

async function uploadOne(file) {
  if (session) {
    await ask("PUT", inSession([file.name]), { body: file });
    return;
  }
  const form = new FormData();
  form.append("file", file, file.name);
  const stored = await askJson("POST", "v1/files", { body: form });
  chosen.set(stored.file_id, stored.filename);
}

export async function upload(files) {
  for (const file of files) {
    byId("said").textContent = `Uploading ${file.name}`;
    try {
      await uploadOne(file);
      byId("said").textContent = `${file.name} is there`;
    } catch (error) {
      failed(error);
    }
  }
  await refreshFiles();
}
