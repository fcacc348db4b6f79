"""tools/deploy/nomad by what Nomad's own client knows of jobs, and beside HAProxy's configuration (make check-clients)."""

import json
import os
import re
import shutil
import subprocess
import textwrap
import unittest
from pathlib import Path
from typing import Any, ClassVar

from support.haproxy import CONFIGURATION, nodes
from support.run import GLOVEBOX, ROOT

CLIENTS = Path(os.environ.get("GLOVEBOX_CLIENTS", ROOT / "build/clients"))
PYTHON = CLIENTS / "bin/python"
RENDER = CLIENTS / "render"
API = CLIENTS / "modules/github.com/hashicorp/nomad/api"
JOB = ROOT / "tools/deploy/nomad/glovebox.nomad.hcl"

PARSE = "import hcl2, json, sys; print(json.dumps(hcl2.load(open(sys.argv[1]))))"
STRUCT = re.compile(r"^type (\w+) struct \{\n(.*?)^\}", re.M | re.S)
FIELD = re.compile(r'^\s+\w+\s+(\S+)\s+`[^`\n]*hcl:"([^",]*),(\w+)', re.M)
OURS = ("__is_block__", "__comments__")  # of the parser
DURATION = re.compile(r'"[0-9]+(s|m|h)"')


def structs() -> dict[str, dict[str, tuple[str, str]]]:
    """Return what Nomad reads of each kind of block: of each name, type and kind."""
    text = "".join(path.read_text() for path in API.glob("*.go") if not path.stem.endswith("_test"))
    return {name: {key: (type_, kind) for type_, key, kind in FIELD.findall(body)} for name, body in STRUCT.findall(text)}


class Reader:
    """A job, compared with those; `wrong` says what nobody would read."""

    def __init__(self) -> None:
        self.structs = structs()
        self.wrong: list[str] = []

    def block(self, node: dict[str, Any], struct: str, where: str) -> None:
        """Compare one block."""
        fields = self.structs[struct]
        for key, value in node.items():
            if key in OURS:
                continue
            type_, kind = fields.get(key, ("", ""))
            inner = type_.lstrip("[]*")
            if kind == "block" and inner.startswith("map["):
                continue
            if kind == "block":
                for one in value:
                    self.blocks(one, inner, f"{where}.{key}")
            elif kind != "optional" or not self.fits(inner, value):
                self.wrong.append(f"{where}.{key} = {value!r}")

    def blocks(self, node: dict[str, Any], struct: str, where: str) -> None:
        """Compare a block, or those below its label."""
        if "label" not in {kind for _, kind in self.structs[struct].values()}:
            self.block(node, struct, where)
            return
        for label, one in node.items():
            self.block(one, struct, f"{where} {label}")

    def fits(self, type_: str, value: Any) -> bool:
        """Tell whether a value is of a type."""
        if type_ == "time.Duration":
            return bool(DURATION.fullmatch(str(value)))
        if type_ == "string" and isinstance(value, list):
            return all(isinstance(one, str) for one in value)
        wanted = {"int": int, "bool": bool, "string": str}[type_]
        return type(value) is wanted


def plain(value: str) -> str:
    """Return a text without its marks."""
    if here := re.fullmatch(r'"<<-(\w+)\n(.*\n)\s*\1"', value, re.S):
        return textwrap.dedent(here[2])
    return value.strip('"')


class Job(unittest.TestCase):
    """As it is in the repository. Nomad itself has not run it."""

    text: ClassVar[str]

    @classmethod
    def setUpClass(cls) -> None:
        """Read it."""
        if not os.access(PYTHON, os.X_OK):
            raise unittest.SkipTest("cannot: the clients are missing (make check-clients)")
        cls.text = subprocess.run([PYTHON, "-c", PARSE, JOB], stdout=subprocess.PIPE, text=True, check=True).stdout

    def setUp(self) -> None:
        """Look at its parts; a test may change them."""
        self.read = json.loads(self.text)
        self.job = self.read["job"][0]['"glovebox"']
        self.groups = {plain(name): group for one in self.job["group"] for name, group in one.items()}
        self.serve = self.groups["serve"]["task"][0]['"serve"']
        self.proxy = self.groups["proxy"]["task"][0]['"haproxy"']

    def test_nomad_reads_each_line(self) -> None:
        if not API.exists():
            self.skipTest("cannot: Nomad's client is missing (make check-clients, with Go)")
        reader = Reader()
        reader.block(self.job, "Job", "job")
        self.assertEqual(reader.wrong, [])
        self.serve["kill_timeot"] = self.serve.pop("kill_timeout")
        self.groups["serve"]["count"] = '"two"'
        reader.block(self.job, "Job", "job")
        self.assertEqual([line.split(" = ")[0].rpartition(".")[2] for line in reader.wrong], ["count", "kill_timeot"])

    def test_variables_are_declared(self) -> None:
        text = JOB.read_text()
        declared = {plain(name) for one in self.read["variable"] for name in one}
        self.assertEqual(set(re.findall(r"\$\{var\.(\w+)\}", text)), declared)

    def test_the_server_has_these_flags(self) -> None:
        args = [plain(word) for word in self.serve["config"][0]["args"]]
        shown = subprocess.run([GLOVEBOX, "serve", "--help"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(args[0], "serve")
        for flag in args[1::2]:
            self.assertRegex(shown, rf"(?m)^ +{flag} ")
        given = dict(zip(args[1::2], args[2::2]))
        self.assertEqual(given["--listen"], "${NOMAD_ADDR_http}")
        self.assertIn('"http"', self.groups["serve"]["network"][0]["port"][0])
        drain, patience = (int(text.strip('"s')) for text in (given["--drain"], self.serve["kill_timeout"]))
        self.assertLess(drain, patience, "it is not killed while it drains")

    def test_an_update_replaces_one_after_the_other(self) -> None:
        group = self.groups["serve"]
        (update,) = group["update"]
        self.assertEqual((group["count"], update["max_parallel"], update["health_check"]), (2, 1, '"checks"'))
        (service,) = group["service"]
        self.assertEqual((service["port"], service["check"][0]["path"]), ('"http"', '"/ready"'))
        self.assertGreater(int(group["shutdown_delay"].strip('"s')), 0, "the proxy knows first")

    def rendered(self, task: dict[str, Any], env: dict[str, str], services: list[tuple[str, int, str]]) -> str:
        """Return what the one template of a task becomes."""
        if not os.access(RENDER, os.X_OK):
            self.skipTest("cannot: what renders templates is missing (make check-clients, with Go)")
        (template,) = task["template"]
        found = [{"Address": address, "Port": port, "Tags": [tag]} for address, port, tag in services]
        command = [RENDER, json.dumps({"env": env, "services": found})]
        return subprocess.run(command, input=plain(template["data"]), capture_output=True, text=True, check=True).stdout

    def tag(self, index: int) -> str:
        """Return the tag of an allocation."""
        (tag,) = self.groups["serve"]["service"][0]["tags"]
        return plain(tag).replace("${NOMAD_ALLOC_INDEX}", str(index))

    def test_each_allocation_is_a_node_of_the_proxy(self) -> None:
        """The label that it gives to sessions is that of the server to which HAProxy sends them."""
        for index, label in enumerate("ab"):
            said = self.rendered(self.serve, {"NOMAD_ALLOC_INDEX": str(index)}, [])
            self.assertEqual(said, f"GLOVEBOX_SERVE_NODE={label}\n")
            self.assertIn(f'    server {label} "${{GLOVEBOX_{label.upper()}}}"\n', CONFIGURATION.read_text())
            said = self.rendered(self.proxy, {}, [("192.0.2.7", 23456, self.tag(index))])
            self.assertEqual(said, nodes({label: "192.0.2.7:23456"}))

    def test_the_proxy_reads_what_it_is_given(self) -> None:
        haproxy = shutil.which("haproxy")
        if not haproxy:
            self.skipTest("cannot: there is no haproxy")
        both = [("192.0.2.8", 23457, self.tag(1)), ("192.0.2.7", 23456, self.tag(0))]
        said = self.rendered(self.proxy, {}, both)
        given = {plain(name): plain(value) for name, value in self.proxy["env"][0].items() if name not in OURS}
        known = {"NOMAD_PORT_http": "8000", "NOMAD_ALLOC_DIR": "/tmp"}
        env = {name: re.sub(r"\$\{(\w+)\}", lambda found: known[found[1]], value) for name, value in given.items()}
        self.assertEqual(set(env), {"GLOVEBOX_BIND", "GLOVEBOX_ADMIN"})
        args = [plain(word) for word in self.proxy["config"][0]["args"]]
        self.assertEqual([args[at + 1] for at, word in enumerate(args) if word == "-f"], ["local/nodes.cfg", "${var.proxy}"])
        command = [haproxy, "-c", "-f", "/dev/stdin", "-f", CONFIGURATION]
        checked = subprocess.run(command, input=said, env=env, capture_output=True, text=True, check=False)
        self.assertEqual(checked.returncode, 0, checked.stderr)
        template = self.proxy["template"][0]
        self.assertEqual((template["change_mode"], template["change_signal"]), ('"signal"', '"SIGUSR2"'))
        self.assertIn("-W", args, "a signal reloads it")
