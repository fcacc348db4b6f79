"""docs/serve.md, docs/serve-operate.md: their examples are run as they stand there, and the table of settings has what --help has."""

import json
import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path
from typing import Any

from support.run import GLOVEBOX, ROOT, execute, glovebox
from support.serve import AS_ROOT, ServeCase

PAGE = "".join((ROOT / f"docs/{name}.md").read_text() for name in ("serve", "serve-operate"))
ADDRESS = "http://127.0.0.1:8000"
BLOCK = re.compile(r"^```(bash|json|)\n(.*?)^```", re.MULTILINE | re.DOTALL)
VARIES = {"duration_ms", "cpu_ms", "memory_peak_bytes", "file_id", "glovebox_version"}


def stable(text: str) -> Any:
    """Return a reply without what differs from time to time."""
    return {key: "*" if key in VARIES else value for key, value in json.loads(text).items()}


def events(text: str) -> tuple[str, Any]:
    """Return all output of a stream, however it was cut into pieces, and its result."""
    *pieces, (kind, result) = re.findall(r"^event: (\w+)\ndata: (.*)$", text, re.MULTILINE)
    assert kind == "result", text
    return "".join(json.loads(data)["data"] for _, data in pieces), stable(result)


@unittest.skipUnless(shutil.which("curl"), "cannot: there is no curl")
class Examples(ServeCase):
    """Blocks marked bash, and what stands behind them."""

    def run_block(self, block: str) -> str:
        """Run it with a server of this test's; return what it prints."""
        (self.folder / "bin").mkdir(exist_ok=True)
        program = self.folder / "bin/glovebox"
        program.exists() or program.symlink_to(Path(GLOVEBOX).resolve())
        env = os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}"}
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", block.replace(ADDRESS, self.server.address)],
                              cwd=self.folder, env=env, capture_output=True, text=True, timeout=60)  # fmt: skip
        self.assertEqual(done.returncode, 0, (block, done.stdout, done.stderr))
        return done.stdout

    def test_each_says_what_the_page_says(self) -> None:
        blocks = BLOCK.findall(PAGE)
        self.assertGreaterEqual(sum(kind == "bash" for kind, _ in blocks), 6)
        for (kind, block), (next_kind, said) in zip(blocks, blocks[1:]):
            if kind != "bash":
                continue
            out = self.run_block(block)
            if next_kind == "json":
                self.assertEqual(stable(out), stable(said), block)
            elif said.startswith("event:"):
                self.assertEqual(events(out), events(said))
        self.assertEqual(self.server.get("/v1/files").json, {"files": []}, "what was uploaded was deleted")
        self.assertEqual((self.folder / "copy.csv").read_text(), (self.folder / "sales.csv").read_text())

    def test_that_of_the_readme(self) -> None:
        """A program, and a file."""
        readme = (ROOT / "README.md").read_text()
        (example,) = re.findall(r"```bash\n(curl.*?)```", readme, re.DOTALL)
        (self.folder / "script.py").write_text("x" * 321)
        ran, _, stored = self.run_block(example).rpartition("{")
        self.assertEqual(json.loads(ran)["stdout"], "42\n")
        self.assertEqual(json.loads("{" + stored)["size_bytes"], 321)
        for file in self.server.get("/v1/files").json["files"]:
            self.server.delete(f"/v1/files/{file['file_id']}")



class Table(unittest.TestCase):
    """The settings."""

    def test_it_has_every_flag_with_its_default_and_other_name(self) -> None:
        source = (ROOT / "runtime/flags/serve_settings.c").read_text()
        flags = re.findall(r'^\t\{"([a-z-]+)", 0,(.*)\},$', source, re.MULTILINE)
        rows = {row[0]: row for row in re.findall(r"^\| `--([a-z-]+)[^|]*\|([^|]*)\|([^|]*)\|", PAGE, re.MULTILINE)}
        flags = [(name, row) for name, row in flags if "GROUP_REFUSED" not in row]
        self.assertEqual(set(rows), {name for name, _ in flags})
        said = glovebox("serve", "--help").out
        for name, row in flags:
            variable = re.search(r'\.variable = "(\w+)"', row)
            self.assertEqual(rows[name][2].strip("` "), variable[1] if variable else "", name)
            default = re.search(rf"^ +--{name}\b.*?(?: \[([^]]*)\])?$", said, re.MULTILINE)
            self.assertEqual(rows[name][1].strip(), (default[1] or "") if default else None, name)

    def test_what_is_the_same_for_all_programs_is_refused(self) -> None:
        for words in (["--user", "0"], ["--workdir=/x"], ["--hostname", "box"]):
            done = execute([GLOVEBOX, "serve", "--listen", "nowhere", *words])
            self.assertEqual(done.status, 125, done)
            self.assertRegex(done.err, r"\A.*--(user|workdir|hostname): not supported: .*; glovebox run has this flag\n\Z")
        words = ["--user", "1000:1000", "--workdir", "/workspace", "--hostname", "sandbox"]
        self.assertIn("nowhere", execute([GLOVEBOX, "serve", *AS_ROOT, "--listen", "nowhere", "--image", "host", *words]).err)

    def test_each_is_a_variable_too(self) -> None:
        variables = {"GLOVEBOX_SERVE_MAX_RUNS": "many", "MAX_CONCURRENT_EXECUTIONS": "many", "GLOVEBOX_SERVE_MEMORY": "lots"}
        for name, value in variables.items():
            done = execute([GLOVEBOX, "serve", "--listen", "nowhere"], env={name: value})
            self.assertEqual((done.status, name in done.err), (125, True), done)
        env = {"GLOVEBOX_SERVE_MAX_RUNS": "2", "MAX_CONCURRENT_EXECUTIONS": "many", "GLOVEBOX_SERVE_IMAGE": "nothere"}
        done = execute([GLOVEBOX, "serve", *AS_ROOT, "--listen", "127.0.0.1:0"], env=env)
        self.assertIn("nothere:latest", done.err)

    def test_it_names_the_limits_of_a_run(self) -> None:
        said = glovebox("serve", "--help").out
        for flag in re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", said, re.MULTILINE):
            self.assertTrue(f"`{flag}" in PAGE, flag)

    def test_it_has_every_route(self) -> None:
        routes = (ROOT / "runtime/serve/routes.c").read_text()
        for method, path in re.findall(r'^\t\{"([A-Z]+)", "([^"]+)"', routes, re.MULTILINE):
            shown = path.replace("**", "PATH").replace("*", "ID")
            self.assertTrue(f"| `{method} {shown}` |" in PAGE, (method, shown))
