"""LibreChat's tools of code (@librechat/agents), as they come from their registry, against `glovebox serve --face librechat` (make check-clients)."""

import json
import os
import shutil
import subprocess
import unittest
from pathlib import Path
from typing import Any

from support.faces import face_of
from support.run import ROOT
from support.serve import ServeCase, add_key
from support.times import DEADLINE

CLIENTS = Path(os.environ.get("GLOVEBOX_CLIENTS", ROOT / "build/clients"))
LONE = CLIENTS / "node/lone"
PROGRAM = Path(__file__).with_name("librechat_client.mjs")
IN_IMAGE = ["node"] if shutil.which("node", path="/usr/bin:/bin") else []
EMPTY = "stdout: Empty. Ensure you're writing output explicitly."


class LibreChat(ServeCase):
    """Its package runs code; requests of its server upload and fetch files."""

    def seen(self, version: str, *more: str) -> dict[str, Any]:
        """What the program saw with one version of the package."""
        node, package = shutil.which("node"), LONE / f"agents-{version}"
        if not node or not package.exists():
            raise unittest.SkipTest("cannot: the client is missing (make check-clients, with node)")
        keys = self.folder / "keys.json"
        ours, theirs = (add_key(keys, name) for name in ("ours", "theirs"))
        server = self.start_server("--keys", str(keys), "--face", "librechat=127.0.0.1:0").wait_ready()
        env = {
            "LIBRECHAT_CODE_BASEURL": face_of(server, "librechat") + "/v1",
            "LIBRECHAT_CODE_API_KEY": ours,
            "HOME": str(self.folder),
            "PATH": os.environ["PATH"],
        }
        command = [node, PROGRAM, package, theirs, *more, *IN_IMAGE]
        done = subprocess.run(command, env=env, cwd=self.folder, capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        seen: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return seen

    def assert_seen(self, seen: dict[str, Any], **wanted: Any) -> None:
        """These members are there, so."""
        self.assertEqual({name: seen.get(name) for name in wanted}, wanted)

    def assert_common(self, seen: dict[str, Any]) -> None:
        """The same in all versions."""
        self.assert_seen(
            seen,
            py="stdout:\nmüß 42\n\nstderr:\ncareful",
            session=True,
            js="stdout:\n[ '42' ]" if IN_IMAGE else None,
            args="stdout:\n['a b', 'c']",
            nothing=EMPTY,
            uploaded=["success", ["müß a.csv"], [200, "x,y\n"]],
            listed=True,
            batch=["success", 0, ["a.txt", "skill/b.md"]],
            info=[200, "müß a.csv", True],
        )
        for name, said in (("found", "x,y"), ("both", "1 2")):
            self.assertTrue(seen[name].startswith(f"stdout:\n{said}"), seen[name])
        self.assertIn(EMPTY, seen["failed"])
        self.assertIn("line 2", seen["failed"])
        self.assertIn("ZeroDivisionError", seen["failed"])
        text, *made = seen["made"]
        self.assertTrue(text.startswith("stdout:\ndone\n"), text)
        self.assertEqual(made, [["a b.csv", "deep/ü.png"], True, [[200, "a b.csv"], [200, "deep/ü.png"]]])
        self.assertEqual(seen["changed"], ["a b.csv", ["deep/ü.png"], [200, "deep/ü.png+"], [200, "deep/ü.png"]])
        self.assertIn(seen["removed"][0], (200, 204))
        self.assertEqual(seen["removed"][1], 404)
        self.assertIn(seen["removed"][2], (403, 404))

    def assert_kept_apart(self, seen: dict[str, Any]) -> None:
        """Neither another key nor a wrong reference leads to a file."""
        (status, content), said = seen["foreign"]
        self.assertIn(status, (403, 404))
        self.assertNotIn("secret", content)
        self.assertTrue(said.get("error"), said)
        self.assertNotIn("secret", str(said))
        self.assertTrue(seen["unknown"][0])
        self.assertIn(seen["unknown"][1], (403, 404))
        self.assertTrue(seen["language"])

    def assert_programs(self, seen: dict[str, Any]) -> None:
        """Code calls tools of the client's."""
        text, performed, made = seen["program"]
        self.assertTrue(text.startswith("stdout:\n3 ['found ü', {'sum': 1}]\nit's not there\n"), text)
        self.assertEqual((performed, made), (["look_up"] * 2 + ["sum-of"] * 4, [200, "made"]))
        for word in ("Programmatic execution failed", "ZeroDivisionError"):
            self.assertIn(word, seen["program_failed"])
        text, performed, names = seen["script"]
        self.assertTrue(text.startswith('stdout:\n{"sum":3} "found ü"\n'), text)
        self.assertEqual((performed, names), (["look_up", "sum-of"], ["y.json"]))
        self.assertEqual(seen["program_files"], "stdout:\nmade found x")

    def test_newest(self) -> None:
        """Bash, programs; the key as a bearer's."""
        seen = self.seen("3.9.2", "bearer")
        self.assert_common(seen)
        self.assert_seen(seen, bash="stdout:\n/mnt/data\n\nstderr:\ncareful", command="stdout:\n42 it's")
        self.assertIn("not authorized", seen["wrong_key"])
        self.assert_kept_apart(seen)
        self.assertNotIn("temporarily", seen["language"])
        self.assert_programs(seen)

    def test_of_node_20(self) -> None:
        """The last that names it."""
        seen = self.seen("3.2.21")
        self.assert_common(seen)
        self.assert_seen(seen, bash="stdout:\n/mnt/data\n\nstderr:\ncareful", command="stdout:\n42 it's")
        self.assertRegex(seen["wrong_key"], r"returned 40[13], body: \{")
        self.assert_kept_apart(seen)
        self.assert_programs(seen)

    def test_older(self) -> None:
        """Sessions whose files are listed first; one name of them."""
        seen = self.seen("2.4.322")
        self.assert_common(seen)
        self.assertTrue(seen["later"].startswith("stdout:\n['a b.csv', 'deep/ü.png']"), seen["later"])
        self.assertRegex(seen["wrong_key"], "status: 40[13]")
        self.assert_kept_apart(seen)
