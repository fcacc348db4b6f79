// e2b_client - E2B's client of JavaScript uses everything once; what it saw goes out as one object.
//
//     E2B_API_KEY=... E2B_API_URL=... E2B_SANDBOX_URL=... node e2b_client.mjs PACKAGE OTHER-KEY
//
// PACKAGE is a folder of node_modules (tools/fetch-clients): .../@e2b/code-interpreter.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [folder, otherKey] = process.argv.slice(2);
const find = createRequire(pathToFileURL(folder + "/")).resolve;
const loaded = await import(pathToFileURL(find("@e2b/code-interpreter")));
const Sandbox = loaded.Sandbox ?? loaded.default.Sandbox;

const why = (call) => call().then((value) => ["no error", value], (error) => error.constructor.name);
const until = async (condition) => {
    while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 50));
};
const seen = {};
const metadata = { who: "a b/c&d=é+%" };
const sandbox = await Sandbox.create({ metadata, envs: { GIVEN: "as given" }, timeoutMs: 300_000 });

async function useControl() {
    const info = await sandbox.getInfo();
    seen.info = [info.templateId, info.metadata, info.state];
    const listed = async (query) => (await Sandbox.list({ query }).nextItems()).map((found) => found.sandboxId);
    seen.listed = [(await listed({ metadata })).includes(sandbox.sandboxId), (await listed({ metadata: { who: "a" } })).length];
    seen.foreign = [await why(() => Sandbox.connect(sandbox.sandboxId, { apiKey: otherKey })), await Sandbox.kill(sandbox.sandboxId, { apiKey: otherKey })];
    seen.wrong_key = await why(() => Sandbox.create({ apiKey: "x" }));
    await sandbox.setTimeout(600_000);
}

async function useCode() {
    await sandbox.runCode("x = 41");
    const said = await sandbox.runCode("import sys; print('out\\u2028'); print('err', file=sys.stderr); display('é\\u2028\\U0001f600'); x + 1");
    seen.code = [said.text, said.logs.stdout, said.logs.stderr, said.results[0].text];
    seen.long = (await sandbox.runCode("print(120_000 * 'é', end='')")).logs.stdout.join("").replaceAll(/[^é]/g, "").length;
    const { error } = await sandbox.runCode("raise ValueError('é')");
    seen.error = [error.name, error.value, error.traceback.includes("ValueError")];
    seen.streamed = [];
    await sandbox.runCode("import os, time\nprint('a', flush=True)\nwhile not os.path.exists('go'): time.sleep(0.01)\nprint('b')", {
        onStdout: async (message) => {
            seen.streamed.push(message.line);
            if (seen.streamed.length === 1) await sandbox.files.write("go", "");
        },
    });
    await sandbox.files.remove("go");
    const context = await sandbox.createCodeContext({ cwd: "/tmp" });
    const where = await sandbox.runCode("import os; os.getcwd()", { context });
    await sandbox.removeCodeContext(context);
    seen.contexts = [where.text, await why(() => sandbox.runCode("1", { context }))];
    seen.timeout = await why(() => sandbox.runCode("import time; time.sleep(1000)", { timeoutMs: 1000 }));
}

async function useCommands() {
    const said = await sandbox.commands.run("echo out; pwd; echo $GIVEN; echo err >&2", { cwd: "/tmp" });
    seen.command = [said.exitCode, said.stdout, said.stderr];
    seen.failed = await sandbox.commands.run("echo no >&2; exit 3").catch((error) => [error.constructor.name, error.exitCode, error.stderr]);
    const command = await sandbox.commands.run("cat", { background: true, stdin: true });
    await sandbox.commands.sendStdin(command.pid, "given");
    await sandbox.commands.closeStdin(command.pid);
    seen.stdin = (await command.wait()).stdout;
    const sleeps = await sandbox.commands.run("sleep 1000", { background: true });
    await sleeps.disconnect();
    const again = await sandbox.commands.connect(sleeps.pid);
    const killed = await again.kill();
    const ended = await why(() => again.wait());
    await until(async () => (await sandbox.commands.list()).length === 0);
    seen.killed = [killed, await sandbox.commands.kill(sleeps.pid), ended];
}

async function useFiles() {
    const { files } = sandbox;
    await files.write("ä b.txt", "é");
    const several = await files.write([
        { path: "bytes", data: new Uint8Array([0, 255]).buffer },
        { path: "/home/user/c/d e.txt", data: "x" },
    ]);
    await files.write("streamed", new Blob(["streamed"]).stream());
    seen.files = [await files.read("ä b.txt"), [...(await files.read("bytes", { format: "bytes" }))], several[1].path, await files.read("streamed")];
    seen.listing = (await files.list(".", { depth: 2 })).map((entry) => entry.path).filter((path) => !path.includes("/.")).sort();
    const found = await files.getInfo("bytes");
    seen.stat = [found.type, found.size];
    seen.absent = [await files.exists("none"), await why(() => files.read("none"))];
    seen.directory = [await files.makeDir("e/f"), await files.makeDir("e/f")];
    const moved = await files.rename("bytes", "renamed");
    await files.remove("renamed");
    seen.renamed = [moved.path, await files.exists("renamed")];
    const changes = [];
    const watching = await files.watchDir("e", (event) => changes.push([event.name, event.type]), { recursive: true });
    await files.makeDir("e/f/g");
    await until(() => changes.length > 0);
    await watching.stop();
    seen.watched = changes[0];
}

async function useEnds() {
    const paused = [await sandbox.pause(), await sandbox.isRunning()];
    const again = await Sandbox.connect(sandbox.sandboxId);
    seen.paused = [...paused, (await again.runCode("x")).text];
    seen.gone = [await sandbox.kill(), await sandbox.kill(), await sandbox.isRunning()];
    seen.gone.push(await why(() => sandbox.runCode("1")), await why(() => sandbox.commands.run("true")), await why(() => sandbox.files.read("a")));
}

try {
    for (const use of [useControl, useCode, useCommands, useFiles, useEnds]) await use();
} finally {
    await sandbox.kill();
}
console.log(JSON.stringify(seen));
process.exit(0); // streams that it left keep its connections
