"""agent-sandbox's client (k8s-agent-sandbox), as it comes from its registry, against `glovebox serve --face agent-sandbox`."""

import json
import os
import subprocess
import unittest
from pathlib import Path
from typing import Any

from support.cluster import Cluster
from support.faces import face_of
from support.run import ROOT
from support.serve import ServeCase, Server, add_key
from support.times import DEADLINE

CLIENTS = Path(os.environ.get("GLOVEBOX_CLIENTS", ROOT / "build/clients"))
PYTHON = CLIENTS / "agent-sandbox/bin/python3"
FACE = ("--face", "agent-sandbox=127.0.0.1:0")

# Claims are the cluster's part, which is a stand-in; all else goes to the face.
BEGIN = """
import json, os
from kubernetes.client import ApiClient, Configuration
from k8s_agent_sandbox import SandboxClient
from k8s_agent_sandbox.exceptions import SandboxRequestError
from k8s_agent_sandbox.models import SandboxDirectConnectionConfig, SandboxdInClusterConnectionConfig

def tell(*things): print(json.dumps(things))

def refused(run):
    try:
        run()
    except SandboxRequestError as error:
        tell(error.status_code)

def connect(connection):
    return SandboxClient(connection_config=connection, api_client=ApiClient(Configuration(host=os.environ["CLUSTER"])))

def with_key(key):
    return SandboxDirectConnectionConfig(api_url=os.environ["SANDBOXES"], extra_headers={"X-API-Key": key})

client = connect(with_key(os.environ["KEY"]))
"""

LIFE = """
one, two = client.create_sandbox("pool"), client.create_sandbox("pool")
one.files.write("whose.txt", "one")
two.files.write("whose.txt", "two")
tell(one.files.read("whose.txt").decode(), two.files.read("whose.txt").decode())
name = one.claim_name
one.close_connection()
again = client.get_sandbox(name)
tell(again.status()[0], again.files.read("whose.txt").decode(), again.commands.run("cat whose.txt").stdout)
other = client.create_sandbox("pool", namespace="other", claim_name=name)
tell(other.sandbox_id == again.sandbox_id, other.files.exists("whose.txt"))
again.terminate()
client.delete_sandbox(two.claim_name)
tell(client.list_active_sandboxes() == [("other", name)], client.list_all_sandboxes())
"""

COMMANDS = """
run = client.create_sandbox("pool").commands.run

def tell_run(*words, **more):
    done = run(*words, **more)
    tell(done.stdout, done.stderr, done.exit_code, done.timed_out)

tell_run("pwd")
tell_run("echo 'a  b' \\"c d\\" e\\\\ f")
tell_run("echo $HOME | cat; true")
tell_run("sh -c 'echo out; echo careful >&2; exit 3'")
tell_run("sh -c 'kill -9 $$'")
tell_run("printf 'm\\u00fc\\\\377\\u2028'")
tell_run("cat")
for command in ("nosuch --now", "", "echo 'open"):
    done = run(command)
    tell(done.stdout, done.stderr.startswith("Failed to execute command: "), done.exit_code)
done = run("sh -c 'echo early; exec sleep 60'", command_timeout=1)
tell(done.stdout, done.exit_code, done.timed_out)
tell_run("python3 -c 'print(6 * 7)'", command_timeout=20)
"""

FILES = """
import io
files = client.create_sandbox("pool").files
content = bytes(range(256)) * 2000
for name in ("a.bin", "d/e/m\\u00fc \\u2028.bin", "100%.txt", "a%41%2F..txt", "x\\\\y+z;&?#"):
    files.write(name, content)
    tell(files.read(name) == content)
tell(files.exists("aA.txt"), files.exists("d/e"), files.exists("/d/e"), files.exists("none"))
files.write("text", "m\\u00fc")
files.write("streamed", io.BytesIO(content * 40))
out = io.BytesIO()
tell(files.read("text").decode(), files.read_to("streamed", out), out.getvalue() == content * 40)
files.write("empty", b"")
files.write("empty2", io.BytesIO())
tell(files.read("empty").decode(), files.read("empty2").decode())
try:
    files.read_to("a.bin", io.BytesIO(), max_bytes=1000)
except RuntimeError as error:
    tell(str(error))
tell(sorted((entry.name, entry.size, entry.type) for entry in files.list("d/e")))
here = {entry.name: entry for entry in files.list(".")}
tell(sorted(here) == sorted(entry.name for entry in files.list("")), sorted(here))
tell(here["d"].type, here["a.bin"].modified.timestamp() > 1.7e9)
try:
    files.delete("text")
except NotImplementedError:
    tell("no")
"""

ERRORS = """
from k8s_agent_sandbox.sandbox import Sandbox
sandbox = client.create_sandbox("pool")
files = sandbox.files
files.write("d/f", "")
refused(lambda: files.read("none"))
refused(lambda: files.read("d"))
refused(lambda: files.list("none"))
refused(lambda: files.list("d/f"))
refused(lambda: files.exists("../../etc/passwd"))
refused(lambda: files.list("../.."))
refused(lambda: files.read("d/../../etc/passwd", allow_unsafe_paths=True))
refused(lambda: files.write("../x", b"", allow_unsafe_paths=True))
refused(lambda: files.write("d", b""))
refused(lambda: sandbox.commands.run("true", command_timeout=-1))
tell(files.read("d/../d/f", allow_unsafe_paths=True).decode())
refused(lambda: connect(with_key("wrong")).create_sandbox("pool").commands.run("true"))
odd = Sandbox("claim", "Not_a-label", connection_config=with_key(os.environ["KEY"]), k8s_helper=client.k8s_helper)
refused(lambda: odd.commands.run("true"))
"""

TOGETHER = """
import asyncio, io
from kubernetes_asyncio.client import ApiClient as AsyncApiClient, Configuration as AsyncConfiguration
from k8s_agent_sandbox import AsyncSandboxClient

async def main():
    api = AsyncApiClient(AsyncConfiguration(host=os.environ["CLUSTER"]))
    async with api, AsyncSandboxClient(connection_config=with_key(os.environ["KEY"]), api_client=api) as client:
        sandbox = await client.create_sandbox("pool")
        await sandbox.files.write("d/m\\u00fc.txt", "here")
        await sandbox.files.write("streamed", io.BytesIO(b"x" * 3_000_000))
        tell((await sandbox.files.read("d/m\\u00fc.txt")).decode(), len(await sandbox.files.read("streamed")))
        tell([entry.name for entry in await sandbox.files.list("d")], await sandbox.files.exists("none"))
        done = await asyncio.gather(*(sandbox.commands.run(f"sh -c 'sleep 0.1; exit {number}'") for number in range(4)))
        tell([one.exit_code for one in done])

asyncio.run(main())
"""

RUNTIME = """
import io
port = int(os.environ["SANDBOXES"].rsplit(":", 1)[1])
direct = SandboxdInClusterConnectionConfig(mode="in-cluster-pod-ip", rest_port=port, grpc_port=port - 1)
files = connect(direct).create_sandbox("pool").files
content = bytes(range(256)) * 2000
for name in ("a.bin", "d/e/m\\u00fc.bin", "100%.txt"):
    files.write(name, content)
    tell(files.read(name) == content)
files.write("streamed", io.BytesIO(content * 40))
tell(len(files.read("streamed")))
tell(sorted((entry.name, entry.size, entry.type, entry.mode) for entry in files.list("d/e")))
tell([(entry.name, entry.type) for entry in files.list("")])
tell(files.exists("d/e"), files.exists("none"))
refused(lambda: files.read("none"))
refused(lambda: files.list("../.."))
refused(lambda: files.delete("none"))
refused(lambda: files.delete("d"))
files.delete("a.bin")
files.delete("d", recursive=True)
tell(files.exists("a.bin"), files.exists("d"))
"""


class AgentSandbox(ServeCase):
    """Programs of its users: only an address and a key change."""

    def setUp(self) -> None:
        """Skip where it is not installed; have a cluster, and a server with keys."""
        if not PYTHON.exists():
            raise unittest.SkipTest("cannot: there is no k8s-agent-sandbox (make check-clients)")
        super().setUp()
        self.cluster = Cluster()
        self.addCleanup(self.cluster.stop)
        keys = self.folder / "keys.json"
        self.key = add_key(keys, "agents")
        self.there: Server = self.start_server("--keys", str(keys), *FACE)

    def told(self, program: str, server: Server | None = None) -> list[Any]:
        """What a program tells."""
        env = {"CLUSTER": self.cluster.url, "SANDBOXES": face_of(server or self.there, "agent-sandbox"), "KEY": self.key, "HOME": str(self.folder)}
        script = self.file("script.py", BEGIN + program)
        done = subprocess.run([PYTHON, script], env=env, capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_a_life(self) -> None:
        """Claims, each with a sandbox of its own, by name and namespace."""
        wanted = [["one", "two"], ["SandboxReady", "one", "one"], [True, False], [True, []]]
        self.assertEqual(self.told(LIFE), wanted)

    def test_commands(self) -> None:
        """Words without a shell, statuses, signals, timeouts."""
        said = self.told(COMMANDS)
        wanted: list[Any] = [
            ["/app\n", "", 0, False],
            ["a  b c d e f\n", "", 0, False],
            ["$HOME | cat; true\n", "", 0, False],
            ["out\n", "careful\n", 3, False],
            ["", "", -9, False],
            ["mü\ufffd\u2028", "", 0, False],
            ["", "", 0, False],
            *[["", True, 1]] * 3,
            ["early\n", 124, True],
            ["42\n", "", 0, False],
        ]
        self.assertEqual(said, wanted)

    def test_files(self) -> None:
        """The whole filesystem object."""
        names = ["100%.txt", "a%41%2F..txt", "a.bin", "d", "empty", "empty2", "streamed", "text", "x\\y+z;&?#"]
        wanted: list[Any] = [
            *[[True]] * 5,
            [False, True, True, False],
            ["mü", 20_480_000, True],
            ["", ""],
            ["File size exceeds limit of 1000 bytes."],
            [[["mü \u2028.bin", 512_000, "file"]]],
            [True, names],
            ["directory", True],
            ["no"],
        ]
        self.assertEqual(self.told(FILES), wanted)

    def test_errors(self) -> None:
        """The status of each."""
        said = [one for one, in self.told(ERRORS)]
        self.assertEqual(said, [404, 404, 404, 404, 403, 403, 403, 403, 400, 422, "", 401, 400])

    def test_the_asynchronous_one(self) -> None:
        """Several commands at once."""
        self.assertEqual(self.told(TOGETHER), [["here", 3_000_000], [["mü.txt"], False], [[0, 1, 2, 3]]])

    def test_files_of_the_newer_runtime(self) -> None:
        """Its client sends no key."""
        server = self.start_server(*FACE).wait_ready()
        wanted: list[Any] = [
            *[[True]] * 3,
            [20_480_000],
            [[["mü.bin", 512_000, "file", "0644"]]],
            [[["100%.txt", "file"], ["a.bin", "file"], ["d", "directory"], ["streamed", "file"]]],
            [True, False],
            *[[404], [403], [404], [409]],
            [False, False],
        ]
        self.assertEqual(self.told(RUNTIME, server), wanted)
