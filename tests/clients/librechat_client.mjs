// librechat_client - LibreChat's tools of code, and the requests that its server makes beside them; what they saw goes out as one object.
//
//     LIBRECHAT_CODE_BASEURL=... LIBRECHAT_CODE_API_KEY=... node librechat_client.mjs PACKAGE OTHER-KEY [bearer] [node]
//
// PACKAGE is a folder of @librechat/agents (tools/fetch-clients, lone.txt), whose main.mjs would load the clients of all models.
// Packages from 3 on leave the key to their host: as X-API-Key, or with `bearer` as that. With `node` the image has one.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";

const [folder, otherKey, ...words] = process.argv.slice(2);
const { LIBRECHAT_CODE_BASEURL: base, LIBRECHAT_CODE_API_KEY: key } = process.env;
const [axios, FormData] = ["axios", "form-data"].map(createRequire(pathToFileURL(folder + "/")));
const isOld = !existsSync(`${folder}/dist/esm/tools/BashExecutor.mjs`);
const load = (name) => import(pathToFileURL(`${folder}/dist/esm/tools/${name}.mjs`));
const { createCodeExecutionTool, getCodeBaseURL } = await load("CodeExecutor");

const headers = (given) => (words.includes("bearer") ? { Authorization: `Bearer ${given}` } : { "X-API-Key": given });
const named = (given) => (isOld ? { apiKey: given } : { authHeaders: async () => headers(given) });
const seen = {};
const isId = (text) => /^[A-Za-z0-9_-]{21}$/.test(text);
const user = "64f0c0ffee64f0c0ffee64f0";

// A call as a graph makes it: what is not the model's stands beside the arguments.
async function call(tool, args, beside = {}) {
    try {
        const said = await tool.invoke({ type: "tool_call", id: "call_1", name: tool.name, args, ...beside });
        return { text: said.content, artifact: said.artifact };
    } catch (error) {
        return { error: error.message };
    }
}

// A file of a reply, or of an upload, as the next call is told of it.
const reference = (session, id, name) =>
    isOld ? { id, session_id: session, name } : { id, resource_id: id, storage_session_id: session, name, kind: "user" };
const made = ({ artifact }) =>
    (artifact.files ?? []).filter((file) => !file.inherited).map((file) => reference(file.storage_session_id ?? artifact.session_id, file.id, file.name));
// New packages are given files beside a call, old ones when the tool is made.
const run = (args, files = [], given = key) =>
    call(createCodeExecutionTool({ ...named(given), ...(isOld && files.length ? { files } : {}) }), args, files.length ? { _injected_files: files } : {});

const place = (file) => `${file.storage_session_id ?? file.session_id}/${file.id}`;
const ask = (method, path, given = key, more = {}) =>
    axios({
        method,
        url: `${getCodeBaseURL()}${path}`,
        headers: { "User-Agent": "LibreChat/1.0", ...headers(given) },
        timeout: 15000,
        validateStatus: () => true,
        ...more,
    });
const download = async (file, given = key) => {
    const query = isOld ? "" : `?kind=user&id=${user}`;
    const reply = await ask("get", `/download/${place(file)}${query}`, given, { responseType: "arraybuffer" });
    return [reply.status, Buffer.from(reply.data).toString()];
};

// Forms of streams, so that no length is known.
async function upload(path, fields, files) {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    for (const [filename, content] of files) {
        const named = filename.includes("/") ? { filename: filename.split("/").pop(), filepath: filename } : { filename };
        form.append("file", Readable.from([Buffer.from(content)]), named);
    }
    const reply = await axios.post(`${base}${path}`, form, {
        headers: { ...form.getHeaders(), "Content-Type": "multipart/form-data", "User-Agent": "LibreChat/1.0", "User-Id": user, ...headers(key) },
        timeout: 120000,
        maxContentLength: 150 * 1024 * 1024,
        maxBodyLength: 150 * 1024 * 1024,
    });
    const { data } = reply;
    const session = isOld ? data.session_id : data.storage_session_id;
    return { message: data.message, failed: data.failed, files: data.files.map((file) => reference(session, file.fileId, file.filename)) };
}

async function useCode() {
    seen.py = await run({ lang: "py", code: "import sys; print('müß', 6 * 7); print('careful', file=sys.stderr)" });
    seen.session = isId(seen.py.artifact.session_id);
    seen.py = seen.py.text;
    if (words.includes("node")) seen.js = (await run({ lang: "js", code: "console.log([6 * 7].map(String))" })).text;
    seen.args = (await run({ lang: "py", code: "import sys; print(sys.argv[1:])", args: ["a b", "c"] })).text;
    seen.nothing = (await run({ lang: "py", code: "x = 1" })).text;
    seen.failed = (await run({ lang: "py", code: "\n1 / 0" })).text;
    if (isOld) return;
    seen.bash = (await run({ lang: "bash", code: "pwd; echo careful >&2; exit 3" })).text;
    const { createBashExecutionTool } = await load("BashExecutor");
    const bash = createBashExecutionTool(named(key));
    seen.command = (await call(bash, { command: 'echo "$((6 * 7))" "$1"', args: ["it's"] })).text;
}

async function useFiles() {
    const code = "import os\nos.makedirs('deep')\nfor name in ('a b.csv', 'deep/ü.png'): open(name, 'w').write(name)\nprint('done')";
    const first = await run({ lang: "py", code });
    const files = made(first).sort((one, other) => (one.name < other.name ? -1 : 1));
    seen.made = [first.text, files.map((file) => file.name), files.every((file) => isId(file.id)), await Promise.all(files.map((file) => download(file)))];
    const again = await run({ lang: "py", code: "print(open('/mnt/data/a b.csv').read()); open('deep/ü.png', 'a').write('+')" }, files);
    const changed = made(again);
    seen.changed = [again.text.split("\n")[1], changed.map((file) => file.name), await download(changed[0]), await download(files[1])];
    if (!isOld) return;
    const later = createCodeExecutionTool(named(key));
    seen.later = (await call(later, { lang: "py", code: "print(sorted(open(n).read() for n in ('a b.csv', 'deep/ü.png')))", session_id: first.artifact.session_id })).text;
}

async function useUploads() {
    const one = await upload("/upload", isOld ? { entity_id: "asst_1" } : { kind: "user", id: user }, [["müß a.csv", "x,y\n"]]);
    seen.uploaded = [one.message, one.files.map((file) => file.name), await download(one.files[0])];
    seen.found = (await run({ lang: "py", code: "print(open('müß a.csv').read(), end='')" }, one.files)).text;
    const summary = await ask("get", `/files/${place(one.files[0]).split("/")[0]}?detail=summary`);
    const listed = summary.data.find((file) => file.name.startsWith(place(one.files[0])));
    seen.listed = Math.abs(new Date(listed.lastModified) - Date.now()) < 1e6;
    const fields = isOld ? {} : { kind: "skill", id: "skill_1", version: "7", read_only: "true" };
    const several = await upload("/upload/batch", fields, [["a.txt", "1"], ["skill/b.md", "2"]]);
    seen.batch = [several.message, several.failed, several.files.map((file) => file.name)];
    seen.both = (await run({ lang: "py", code: "print(open('a.txt').read(), open('skill/b.md').read())" }, several.files)).text;
    const info = await ask("get", `/sessions/${place(one.files[0]).replace("/", "/objects/")}?kind=user&id=${user}`);
    seen.info = [info.status, info.data.originalFilename, Math.abs(new Date(info.data.lastModified) - Date.now()) < 1e6];
    const gone = () => ask("delete", `/files/${place(one.files[0])}?kind=user&id=${user}`);
    seen.removed = [(await gone()).status, (await gone()).status, (await download(one.files[0]))[0]];
}

async function useErrors() {
    const file = made(await run({ lang: "py", code: "open('a.txt', 'w').write('secret')" }))[0];
    seen.wrong_key = (await run({ lang: "py", code: "1" }, [], "wrong")).error;
    seen.foreign = [await download(file, otherKey), await run({ lang: "py", code: "print(open('a.txt').read())" }, [file], otherKey)];
    const unknown = reference("0".repeat(21), "0".repeat(21), "a.txt");
    seen.unknown = [(await run({ lang: "py", code: "print(1)" }, [unknown])).error, (await download(unknown))[0]];
    seen.language = (await run({ lang: "f90", code: "end" })).error;
}

const numbers = { type: "object", properties: { first: { type: "number" }, second: { type: "number" } }, required: ["first"] };
const toolDefs = [
    { name: "sum-of", description: "Add two numbers.", parameters: numbers, allowed_callers: ["code_execution"] },
    { name: "look_up", parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } },
];
const performed = [];
const toolMap = new Map([
    ["sum-of", { name: "sum-of", invoke: async ({ first, second }) => performed.push("sum-of") && { sum: first + (second ?? 0) } }],
    ["look_up", { name: "look_up", invoke: async ({ name }) => {
        performed.push("look_up");
        if (name === "none") throw new Error("it's not there");
        return `found ${name}`;
    } }],
]);

async function usePrograms() {
    if (isOld) return;
    const { createProgrammaticToolCallingTool } = await load("ProgrammaticToolCalling");
    const { createBashProgrammaticToolCallingTool } = await load("BashProgrammaticToolCalling");
    const beside = { toolMap, toolDefs };
    const python = createProgrammaticToolCallingTool({ ...named(key), baseUrl: base });
    const bash = createBashProgrammaticToolCallingTool({ ...named(key), baseUrl: base });
    const code = `
import asyncio
total = 0
for number in range(3):
    total = (await sum_of(first=total, second=number))["sum"]
print(total, await asyncio.gather(look_up(name="ü"), sum_of(first=1)))
try:
    await look_up(name="none")
except Exception as error:
    print(error)
open("made.txt", "w").write("made")
`;
    const said = await call(python, { code }, beside);
    seen.program = [said.text ?? said.error, performed.splice(0).sort(), await download(made(said)[0])];
    seen.program_failed = (await call(python, { code: "await look_up(name='x')\n1 / 0" }, beside)).error;
    performed.length = 0;
    const lines = `
set -eu
x=$(sum_of '{"first": 1, "second": 2}')
{ y=$(look_up '{"name": "ü"}'); printf '%s' "$y" >/mnt/data/y.json; } &
wait
echo "$x $(cat /mnt/data/y.json)"
`;
    const script = await call(bash, { code: lines }, beside);
    seen.script = [script.text ?? script.error, performed.splice(0).sort(), made(script).map((file) => file.name)];
    const file = made(said)[0];
    seen.program_files = (await call(python, { code: "print(open('made.txt').read(), await look_up(name='x'))" }, { ...beside, _injected_files: [file] })).text;
}

for (const use of [useCode, useFiles, useUploads, useErrors, usePrograms]) await use();
console.log(JSON.stringify(seen));
