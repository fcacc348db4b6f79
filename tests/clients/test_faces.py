"""Clients of other sandboxes, as they come from their registries, against `glovebox serve --face`."""

import json
import os
import shutil
import subprocess
import unittest
from pathlib import Path

from support.faces import face_of
from support.run import ROOT
from support.serve import ServeCase, Server, add_key
from support.times import DEADLINE

CLIENTS = Path(os.environ.get("GLOVEBOX_CLIENTS", ROOT / "build/clients"))
DIFY = CLIENTS / "newer/dify/bin/python"

GRAPHON = """
import json
from graphon.dsl.code_runtime import SandboxCodeExecutor
from graphon.nodes.code.entities import CodeLanguage

executor = SandboxCodeExecutor()
for language, code, inputs in json.loads(GIVEN):
    try:
        print(json.dumps(executor.execute(language=CodeLanguage(language), code=code, inputs=inputs)))
    except Exception as error:
        assert executor.is_execution_error(error)
        print(json.dumps(str(error)))
"""


class Dify(ServeCase):
    """graphon, which performs Dify's workflows: its executor of code nodes."""

    def setUp(self) -> None:
        """Skip where it is not installed; have a server with keys."""
        if not DIFY.exists():
            raise unittest.SkipTest("cannot: there is no graphon (make check-clients, with a Python from 3.12 on)")
        super().setUp()
        keys = self.folder / "keys.json"
        self.key = add_key(keys, "dify")
        self.there: Server = self.start_server("--keys", str(keys), "--face", "dify=127.0.0.1:0")

    def nodes(self, *given: tuple[str, str, dict[str, object]], key: str = "") -> list[object]:
        """What each of some code nodes returns, or why it failed."""
        env = {"CODE_EXECUTION_ENDPOINT": face_of(self.there, "dify"), "CODE_EXECUTION_API_KEY": key or self.key, "HOME": str(self.folder)}
        script = self.file("script.py", f"GIVEN = {json.dumps(given)!r}\n{GRAPHON}")
        done = subprocess.run([DIFY, script], env=env, capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_code_nodes(self) -> None:
        """Results, errors, warnings."""
        double = "def main(a, b):\n    import sys\n    print('careful', file=sys.stderr)\n    return {'sum': a + 2, 'text': b.upper()}"
        result, failed = self.nodes(("python3", double, {"a": 40, "b": "müß"}), ("python3", "def main():\n    return 1 / 0", {}))
        self.assertEqual(result, {"sum": 42, "text": "MÜSS"})
        self.assertIn("ZeroDivisionError", str(failed))

    def test_javascript(self) -> None:
        """Node.js of the image."""
        if not shutil.which("node", path="/usr/bin:/bin"):
            self.skipTest("cannot: this machine's /usr has no node, so its image has none")
        self.assertEqual(self.nodes(("javascript", "function main({a}) { return {sum: a + 2} }", {"a": 40})), [{"sum": 42}])

    def test_a_key_that_is_none(self) -> None:
        """The client says so."""
        self.assertIn("401", str(self.nodes(("python3", "def main():\n    return {}", {}), key="dify-sandbox")[0]))
