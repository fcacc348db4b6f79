// mcp_client - the official TypeScript clients drive `glovebox mcp`, or /mcp; what they saw goes out as one object.
//
//     node mcp_client.mjs PACKAGE MODE COMMAND...
//     node mcp_client.mjs PACKAGE MODE URL KEY
//
// PACKAGE is a folder of node_modules (tools/fetch-clients): .../@modelcontextprotocol/client, or /sdk, which is the
// one before it and knows only a handshake. They check each result by the schema of its tool, and throw if it does not
// keep to that. mcp_talk.py is the same for Python.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [folder, mode, ...command] = process.argv.slice(2);
const isOld = folder.endsWith("/sdk");
const isHttp = command[0].startsWith("http:");
const SLEEP = "import time\nkept = 1\nfor _ in range(6000): time.sleep(0.01)";

// What another program would import by its name.
const find = createRequire(pathToFileURL(folder + "/")).resolve;
const take = (path) => import(pathToFileURL(find(path)));
const name = isOld ? "@modelcontextprotocol/sdk/client" : "@modelcontextprotocol/client";
const { Client } = await take(isOld ? `${name}/index.js` : name);
const { StdioClientTransport } = await take(isOld ? `${name}/stdio.js` : `${name}/stdio`);
const { StreamableHTTPClientTransport } = await take(isOld ? `${name}/streamableHttp.js` : name);

function transport() {
    if (!isHttp)
        return new StdioClientTransport({ command: command[0], args: command.slice(1), env: process.env });
    const headers = { Authorization: `Bearer ${command[1]}` };
    return new StreamableHTTPClientTransport(new URL(command[0]), { requestInit: { headers } });
}

const client = new Client({ name: "tests", version: "1" }, isOld ? {} : { versionNegotiation: { mode } });
const way = transport();
let version; // the old one tells it to its transport only
const tell = way.setProtocolVersion?.bind(way);
way.setProtocolVersion = (agreed) => {
    version = agreed;
    tell?.(agreed);
};
await client.connect(way);

const seen = {
    version: isOld ? version : client.getNegotiatedProtocolVersion(),
    server: client.getServerVersion()?.name ?? null,
    tools: (await client.listTools()).tools.map((tool) => tool.name),
};
const common = {};

const call = (tool, given, options) => {
    const request = { name: tool, arguments: given };
    return isOld ? client.callTool(request, undefined, options) : client.callTool(request, options);
};
const use = (tool, given = {}, options = undefined) => call(tool, { ...common, ...given }, options);
const run = async (code, given = {}) => (await use("execute_python", { code, ...given })).structuredContent;

const begun = await use("execute_python", { code: "x = 41" });
if (isHttp) {
    common.session = begun.structuredContent.session;
    seen.named = begun.content[0].text.includes(common.session);
}
seen.state = (await run("x + 1")).value;
const failed = await use("execute_python", { code: "1 / 0" });
seen.error = [failed.isError, failed.content[0].text.trimEnd().split("\n").at(-1)];
await use("write_file", { path: "a/b.txt", content: "given" });
seen.read = (await use("read_file", { path: "a/b.txt" })).structuredContent.content;
const made = await use("execute_python", { code: "open('new.csv', 'w').write('1,2')" });
const links = made.content.filter((block) => block.type === "resource_link").map((block) => block.uri);
seen.links = links.map((link) => link.replace(common.session ?? "main", "main"));
seen.resource = (await client.readResource({ uri: links[0] })).contents[0].text;
seen.files = (await use("list_files")).structuredContent.entries.map((entry) => entry.path);
seen.strange = (await run("print('\u{1f600}', chr(0), chr(0x2028), flush=True); __import__('os').write(1, b'\\xff\\n')")).stdout;

const steps = [];
await use("execute_python", { code: "import time; time.sleep(1.3)" }, { onprogress: (at) => steps.push(at.progress) });
seen.progress = steps.length > 0 && steps.every((step, i) => i === 0 || step > steps[i - 1]);
const enough = new AbortController();
await use("execute_python", { code: SLEEP }, { signal: enough.signal, onprogress: () => enough.abort() }).catch((error) => {
    if (!enough.signal.aborted)
        throw error;
});
seen.after_cancel = (await run("kept")).value;

const names = [];
for (let i = 0; i < 3; i++)
    names.push(isHttp ? (await call("execute_python", { code: "1" })).structuredContent.session : `s${i}`);
const many = Array.from({ length: 12 }, (_, i) => run(`${i}`, { session: names[i % 3] }));
seen.many = (await Promise.all(many)).map((result) => result.value);
const large = await run("print('\\u20ac' * 10**6)");
seen.large = [large.truncated, large.stdout.length];
seen.ended = (await use("reset_session")).structuredContent.ended;
await use("nothing").catch((error) => {
    seen.unknown_tool = error.code;
});

const began = performance.now();
await client.close();
seen.hung_up_s = (performance.now() - began) / 1000;
console.log(JSON.stringify(seen));
