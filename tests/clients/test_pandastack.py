"""PandaStack's SDK, as it comes from its registry, against `glovebox serve --face pandastack`."""

import json
import os
import subprocess
import unittest
from pathlib import Path
from typing import Any

from support.faces import face_of
from support.run import ROOT
from support.serve import ServeCase, Server, add_key
from support.times import DEADLINE

CLIENTS = Path(os.environ.get("GLOVEBOX_CLIENTS", ROOT / "build/clients"))
PYTHON = CLIENTS / "bin/python3"

LIFE = """
from pandastack import Sandbox
sandbox = Sandbox.create(template="code-interpreter", ttl_seconds=300, metadata={"who": "test"})
tell(sandbox.status, sandbox.template, sandbox.metadata, sandbox.persistent, sandbox.boot_mode)
tell([one.id == sandbox.id for one in Sandbox.list()], Sandbox.get(sandbox.id).id == sandbox.id)
tell(sandbox.lifecycle()["ttl_seconds"], sandbox.set_ttl(600)["persistent"])
for begin, end in ((sandbox.pause, sandbox.resume), (sandbox.hibernate, sandbox.wake)):
    begin()
    tell(sandbox.refresh().status)
    end()
    tell(sandbox.refresh().status, sandbox.exec("echo on").stdout)
sandbox.hibernate()
tell(sandbox.exec("echo woken").stdout)
tell(list(sandbox.logs()), sandbox.preview_urls())
sandbox.kill()
tell(Sandbox.list())
"""

COMMANDS = """
from pandastack import Sandbox
from pandastack.exceptions import CommandFailed, SandboxTimeout
with Sandbox.create() as sandbox:
    done = sandbox.exec("echo out; echo err >&2; exit 3", timeout_seconds=20)
    tell(done.stdout, done.stderr, done.exit_code)
    tell(sandbox.run_code("print('it\\\\'s', 6 * 7)").stdout, sandbox.run_code("echo $((6 * 7))", language="bash").stdout)
    for run in (lambda: sandbox.exec("sleep 60", timeout_seconds=1), lambda: sandbox.exec_stream("sleep 60", timeout_seconds=1)):
        try:
            run()
        except SandboxTimeout:
            tell("late")
    try:
        sandbox.commands.run("true") and sandbox.exec("false", check=True)
    except CommandFailed as error:
        tell(error.exit_code)
    pieces = []
    code = sandbox.exec_stream("printf 'a\\u2028\\u0085b\\\\n'; echo err >&2; exit 4", on_stdout=pieces.append, on_stderr=pieces.append)
    tell(sorted(pieces), code)
"""

CONTEXTS = """
from pandastack import Sandbox
from pandastack.exceptions import SandboxTimeout
with Sandbox.create() as sandbox, sandbox.create_code_context() as context:
    context.run_code("x = 41")
    tell(context.run_code("print('out'); x + 1").text, context.run_code("1 / 0").error.splitlines()[-1])
    html = "class T:\\n def _repr_html_(self): return '<b>t</b>'\\n def __repr__(self): return 'plain'\\nT()"
    result = context.run_code(html).results[0]
    tell(result.html, result.text)
    try:
        context.run_code("while True: pass", timeout_seconds=1)
    except SandboxTimeout:
        tell("late")
    tell(context.run_code("x").text)
"""

FILES = """
from pandastack import Sandbox
from pandastack.exceptions import NotFoundError
with Sandbox.create() as sandbox:
    files = sandbox.filesystem
    files.write("/workspace/a/b.bin", bytes(range(256)))
    files.write("/workspace/c.txt", "müß")
    tell(files.read("/workspace/a/b.bin") == bytes(range(256)), files.read("/workspace/c.txt").decode())
    one = files.stat("/workspace/c.txt")
    tell(one.name, one.path, one.is_dir, one.size)
    tell(files.exists("/workspace/a"), files.exists("/workspace/none"))
    tell([(place, [d.name for d in dirs], [f.name for f in names]) for place, dirs, names in files.walk("/workspace")])
    try:
        files.read("/workspace/none")
    except NotFoundError:
        tell("none")
"""

ERRORS = """
from pandastack import Client, Sandbox
from pandastack.exceptions import AuthError, BadRequestError, NotFoundError, ServerError
def name(run):
    try:
        run()
    except (AuthError, BadRequestError, NotFoundError, ServerError) as error:
        tell(type(error).__name__)
name(lambda: Client(api_key="wrong").sandboxes.list())
name(lambda: Sandbox.create(template="windows"))
name(lambda: Sandbox.create(persistent=True))
name(lambda: Sandbox.get("none"))
sandbox = Sandbox.create()
name(sandbox.snapshot)
name(sandbox.fork)
name(lambda: sandbox.fork_tree(2))
name(sandbox.promote)
sandbox.kill()
name(lambda: sandbox.exec("true"))
"""


class PandaStack(ServeCase):
    """Programs of its users: only an address and a key change."""

    def setUp(self) -> None:
        """Skip where it is not installed; have a server with keys."""
        if not (PYTHON.exists() and list(CLIENTS.glob("lib/python3*/site-packages/pandastack"))):
            raise unittest.SkipTest("cannot: there is no pandastack (make check-clients)")
        super().setUp()
        keys = self.folder / "keys.json"
        self.key = add_key(keys, "pandastack")
        self.there: Server = self.start_server("--keys", str(keys), "--face", "pandastack=127.0.0.1:0")

    def told(self, program: str) -> list[Any]:
        """What a program tells."""
        env = {"PANDASTACK_API": face_of(self.there, "pandastack"), "PANDASTACK_API_KEY": self.key, "HOME": str(self.folder)}
        script = self.file("script.py", f"import json\ndef tell(*things): print(json.dumps(things))\n{program}")
        done = subprocess.run([PYTHON, script], env=env, capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_a_life(self) -> None:
        """Create, get, list, lifecycle, pause, hibernate, kill."""
        pauses = [[["paused"], ["running", "on\n"]], [["hibernated"], ["running", "on\n"]]]
        first = [["running", "code-interpreter", {"who": "test"}, False, "warm"], [[True], True], [300, False]]
        self.assertEqual(self.told(LIFE), [*first, *pauses[0], *pauses[1], ["woken\n"], [[], {}], [[]]])

    def test_commands(self) -> None:
        """exec, run_code, exec_stream, and what ends them."""
        wanted: list[Any] = [["out\n", "err\n", 3], ["it's 42\n", "42\n"], ["late"], ["late"], [1], [["a\u2028\u0085b\n", "err\n"], 4]]
        self.assertEqual(self.told(COMMANDS), wanted)

    def test_contexts(self) -> None:
        """Names, results, errors, timeouts."""
        wanted = [["42", "ZeroDivisionError: division by zero"], ["<b>t</b>", "plain"], ["late"], ["41"]]
        self.assertEqual(self.told(CONTEXTS), wanted)

    def test_files(self) -> None:
        """The whole filesystem object."""
        walk = [["/workspace", ["a"], ["c.txt"]], ["/workspace/a", [], ["b.bin"]]]
        wanted: list[Any] = [[True, "müß"], ["c.txt", "/workspace/c.txt", False, 5], [True, False], [walk], ["none"]]
        self.assertEqual(self.told(FILES), wanted)

    def test_errors(self) -> None:
        """Its classes of errors."""
        wanted = ["AuthError", "NotFoundError", "BadRequestError", "NotFoundError", *["ServerError"] * 4, "NotFoundError"]
        self.assertEqual([one for one, in self.told(ERRORS)], wanted)
