"""docs/json.md says what is printed for programs (runs, doctor, images, docker's): every field, and no other."""

import io
import json
import tarfile
import unittest

from support.case import Case
from support.json_doc import TABLES, faults, tables
from support.run import Result, glovebox, run

LEAVES = """
import os
open("/output/new", "w").write("12345")
os.symlink("new", "/output/link")
os.mkfifo("/output/fifo")
"""


class Schema(unittest.TestCase):
    """The checker itself."""

    PAGE = """
## One

| field | type | what it is |
|---|---|---|
| a | integer or null | |
| b? | list of Two | |

### Two

| field | type | what it is |
|---|---|---|
| kind | `x` `y` | |
| more | map of string | |
"""

    def test_what_fits_and_what_does_not(self) -> None:
        known = tables(self.PAGE)
        fits = {"a": 1, "b": [{"kind": "x", "more": {"k": "v"}}]}
        self.assertEqual(faults(fits, "One", known=known), [])
        self.assertEqual(faults({"a": None}, "One", known=known), [])
        two = fits["b"][0]
        for wrong in ({}, {"a": True}, {"a": 1.5}, {"a": 1, "c": 1}, {"a": 1, "b": {}}, [], None,
                      {"a": 1, "b": [{**two, "kind": "z"}]}, {"a": 1, "b": [{**two, "more": {"k": 1}}]}):  # fmt: skip
            self.assertEqual(len(faults(wrong, "One", known=known)), 1, wrong)

    def test_every_type_is_known(self) -> None:
        names = {kind.rsplit(" of ")[-1] for table in TABLES.values() for kind in table.values()}
        words = {word for name in names if "`" not in name for word in name.split(" or ")}
        plain = {"string", "integer", "number", "boolean", "null"}
        self.assertEqual(words - plain - TABLES.keys(), set())


class Documented(Case):
    """Runs of each kind."""

    def check(self, *flags: str, **program: object) -> dict[str, object]:
        """Run it and compare what it prints with the table."""
        result = run("--json", *flags, **program)
        self.assertEqual(faults(result.json, "Run"), [], result.out)
        return result.json

    def test_endings(self) -> None:
        endings = {
            "exited": self.check("--label", "a=b", sh="echo out; exit 3"),
            "signalled": self.check(sh="kill -SEGV $$"),
            "wall_time": self.check("--timeout", "300ms", sh="sleep 100"),
            "memory": self.check("--memory", "64m", py="x = 'x' * 1_000_000_000"),
            "output": self.check("--output-limit", "10", sh="echo 01234567890123"),
        }
        self.assertEqual({name: said["verdict"] for name, said in endings.items()}, {n: n for n in endings})

    def test_files(self) -> None:
        said = self.check(f"--output={self.folder}/o", py=LEAVES)
        self.assertEqual((len(said["files"]), len(said["refused"])), (1, 2))

    def test_result_file(self) -> None:
        file = self.folder / "result"
        said = self.check("--result-file", str(file), sh="true")
        self.assertIn(str(said["id"]), file.read_text())


class Programs(Case):
    """What says how things are."""

    def images(self, *args: str) -> Result:
        """Look at a store that holds two names of one image."""
        return self.assert_status(glovebox("image", *args, env={"GLOVEBOX_IMAGES": str(self.folder / "store")}))

    def setUp(self) -> None:
        super().setUp()
        archive = io.BytesIO()
        with tarfile.open(fileobj=archive, mode="w") as tar:
            tar.addfile(tarfile.TarInfo("usr/bin/sh"))
        self.images("import", str(self.file("root.tar", archive.getvalue())), "mine:1")
        self.images("tag", "mine:1", "mine:2")

    def assert_documented(self, said: Result, kind: str) -> None:
        """Compare each line with a table."""
        for line in said.out.splitlines():
            self.assertEqual(faults(json.loads(line), kind), [], line)

    def test_doctor(self) -> None:
        parts = {row["part"] for row in glovebox("doctor", "--json").json["rows"]}
        self.assertEqual(parts, {"host", "limits", "features"})
        self.assert_documented(glovebox("doctor", "--json"), "Doctor")
        none = glovebox("doctor", "--json", env={"XDG_RUNTIME_DIR": str(self.folder / "nosuch")})
        self.assertIn("no", {row["state"] for row in none.json["rows"]})
        self.assert_documented(none, "Doctor")

    def test_images(self) -> None:
        said = self.images("ls", "--json").json
        self.assertEqual([image["reference"] for image in said], ["host:latest", "mine:1", "mine:2"])
        self.assertEqual(faults(said, "list of Image"), [])

    def test_what_docker_prints(self) -> None:
        for name in ("host", "mine:2"):
            said = self.images("inspect", name).json
            self.assertEqual(faults(said, "list of Inspected"), [], said)
            self.assert_documented(self.images("inspect", "--format", "json", name), "Inspected")
        store = {"GLOVEBOX_IMAGES": str(self.folder / "store")}
        listed = glovebox("images", "--format", "json", env=store)
        self.assertEqual(len(listed.out.splitlines()), 2)
        self.assert_documented(listed, "Listed")
        for command in ("Version", "Info"):
            self.assert_documented(glovebox(command.lower(), "--format", "json"), command)
