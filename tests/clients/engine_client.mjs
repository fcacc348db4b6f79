// engine_client - what a program does with dockerode: node engine_client.mjs IMAGE; any failure ends it.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { PassThrough } from "node:stream";
import { text, buffer } from "node:stream/consumers";

const from = createRequire(process.env.GLOVEBOX_NODE + "/");
const Docker = from("dockerode");
const tar = from("tar-stream");
const docker = new Docker({ socketPath: process.env.DOCKER_HOST.replace("unix://", "") });
const image = process.argv[2];
const status = (wanted) => (error) => error.statusCode === wanted;

// Both streams of frames, to their end.
async function split(stream) {
  const [out, err] = [new PassThrough(), new PassThrough()];
  docker.modem.demuxStream(stream, out, err);
  stream.on("end", () => [out, err].map((one) => one.end()));
  return Promise.all([text(out), text(err)]);
}

function pack(name, data) {
  const packed = tar.pack();
  packed.entry({ name }, data);
  packed.finalize();
  return packed;
}

async function unpack(stream) {
  const found = tar.extract();
  const files = {};
  found.on("entry", async (header, entry, next) => {
    files[header.name] = await text(entry);
    next();
  });
  stream.pipe(found);
  await new Promise((resolve, reject) => found.on("finish", resolve).on("error", reject));
  return files;
}

async function attach(hijack) {
  const made = await docker.createContainer({
    Image: image,
    Cmd: ["sh", "-c", hijack ? "read x; echo got $x; echo err >&2; exit 3" : "echo got word; echo err >&2; exit 3"],
    OpenStdin: hijack,
    StdinOnce: hijack,
    Labels: { by: hijack ? "dockerode" : "other" },
  });
  const stream = await made.attach({ stream: true, hijack, stdin: hijack, stdout: true, stderr: true });
  const said = split(stream);
  await made.start();
  if (hijack) {
    stream.write("word\n");
    stream.end();
  }
  assert.deepEqual(await said, ["got word\n", "err\n"]);
  assert.equal((await made.wait()).StatusCode, 3);
  assert.match((await made.logs({ stdout: true, stderr: true })).toString(), /got word\n[^]*err\n/);
  await assert.rejects(made.stop(), status(304));
  return made;
}

async function exec(running) {
  const made = await running.exec({ Cmd: ["sh", "-c", "cat; echo err >&2; exit 7"], AttachStdin: true, AttachStdout: true, AttachStderr: true });
  const stream = await made.start({ hijack: true, stdin: true });
  const said = split(stream);
  stream.write("typed");
  stream.end();
  assert.deepEqual(await said, ["typed", "err\n"]);
  const { Running, ExitCode } = await made.inspect();
  assert.deepEqual([Running, ExitCode], [false, 7]);
}

async function archive(running) {
  await running.putArchive(await buffer(pack("file.txt", "abc")), { path: "/tmp" });
  assert.deepEqual(await unpack(await running.getArchive({ path: "/tmp/file.txt" })), { "file.txt": "abc" });
  await assert.rejects(running.getArchive({ path: "/nowhere" }), status(404));
}

const begun = Math.floor(Date.now() / 1000) - 1;
assert.equal((await docker.ping()).toString(), "OK");
await (await attach(false)).remove();
const ended = await attach(true);
const events = await docker.getEvents({ since: begun, until: Math.floor(Date.now() / 1000) + 1, filters: { container: [ended.id] } });
const seen = (await text(events)).trim().split("\n").map((line) => JSON.parse(line).Action);
assert.deepEqual(seen.filter((action) => ["create", "start", "die"].includes(action)), ["create", "start", "die"]);

const running = await docker.createContainer({ Image: image, Cmd: ["sleep", "1000"] });
await running.start();
await assert.rejects(running.start(), status(304));
await exec(running);
await archive(running);
const list = await docker.listContainers({ all: true, filters: { label: ["by=dockerode"] } });
assert.deepEqual(list.map((one) => one.Id), [ended.id]);
await assert.rejects(running.remove(), status(409));
await running.remove({ force: true });
await assert.rejects(running.inspect(), status(404));

const out = new PassThrough();
const said = text(out);
const [end, container] = await docker.run(image, ["echo", "hi"], out, { Tty: false });
assert.equal(end.StatusCode, 0);
assert.match(await said, /hi\n/);
await container.remove();
