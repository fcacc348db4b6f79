"""The table itself: it names scripts, layers and files that exist, and leaves none out."""

import ast
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

import attacks
import attacks_door
import attacks_egress
import attacks_elsewhere
import test_scripts
from attack_row import CAPABILITIES, FILES, FILTER, KERNEL, RUNS, USER, WARM_USER, Attack
from row_case import RowCase
from support.attack import SCRIPTS, AttackCase
from support.run import GLOVEBOX, ROOT, TESTING

CONFINE = ROOT / "runtime/inside/confine.c"
# Steps without an attack of their own: they build what the others lock, or follow from them.
NO_ATTACK = {
    "terminal": "makes what -t asked for; stdio is what locks",
    "egress": "hands out sockets; test_egress.py attacks what comes of them",
    "admission": "waits for ids and cgroups; the rows on limits leave out cgroup, a part of it",
    "door-cap": "keeps what enters a root; warm/test_session_door.py shows that no session has it",
    "nursery-caps": "keeps what makes cells; tests/warm/test_machinery.py shows that no cell has them",
    "workdir": "a directory inside; inherit_workdir shows that it is",
}


def steps() -> set[str]:
    """The names of the confinement's steps, from the list itself."""
    return set(re.findall(r'^\t\{"([a-z0-9-]+)",', CONFINE.read_text(), re.MULTILINE))


class ShippedTest(AttackCase):
    """The program that is installed cannot leave anything out."""

    def test_shipped_binary_leaves_nothing_out(self) -> None:
        env = dict(os.environ, GLOVEBOX_OMIT=",".join(sorted(steps())))
        command = [*self.arguments(), *self.command("sys_bpf")]
        finished = self.run_command(command, env)
        self.assertEqual((finished.status, finished.stdout), (1, "HELD\n"), finished)

    def test_shipped_binary_does_not_know_the_variable(self) -> None:
        self.assertNotIn(b"GLOVEBOX_OMIT", Path(GLOVEBOX).read_bytes())
        self.assertIn(b"GLOVEBOX_OMIT", Path(TESTING).read_bytes())
        self.assertNotIn(b"GLOVEBOX_OMIT", Path(GLOVEBOX).with_name("glovebox-egress").read_bytes())


class RunsTest(unittest.TestCase):
    """Each row is performed where it shows what no other run shows, and each layer is met in each kind of run."""

    def test_runs_are_known_and_begin_cold(self) -> None:
        for row in attacks.TABLE:
            self.assertLessEqual(row.runs, RUNS.keys(), row.name)
            self.assertIn("cold", row.runs, row.name)
            self.assertFalse(row.root and row.runs & {"user", "warm-user"}, f"{row.name} is prepared by root")
            self.assertTrue("warm-user" not in row.runs or {"warm", "user"} <= row.runs, row.name)

    def test_layers_that_decide_are_layers(self) -> None:
        self.assertLessEqual(KERNEL | FILTER | USER | WARM_USER, FILES.keys())
        self.assertLessEqual(WARM_USER, USER)

    def test_each_layer_is_met_in_each_run_that_it_needs(self) -> None:
        met = {run: {layer for row in attacks.TABLE if run in row.runs for layer in row.layers} for run in RUNS}
        every = {layer for row in attacks.TABLE for layer in row.layers}
        self.assertEqual(every - met["warm"], set())
        self.assertEqual(USER - met["user"], set())
        self.assertEqual(WARM_USER - met["warm-user"], set())
        self.assertEqual(KERNEL - met["vm"], set())
        for run in RUNS:
            self.assertLessEqual(FILTER, met[run], run)

    def test_a_control_that_this_user_cannot_show_is_shown_by_another(self) -> None:
        """Root's ids change, and then the kernel's own mark stops what an ordinary user's run shows."""
        for row in attacks.TABLE:
            if row.unavailable:
                self.assertTrue(row.runs & {"user", "vm"}, row.name)

    def test_classes_perform_what_rows_say(self) -> None:
        """The marks are those with which tests/run --as-user and --kernel choose."""
        classes = [c for c in vars(test_scripts).values() if isinstance(c, type) and issubclass(c, RowCase)]
        for row in attacks.TABLE:
            self.assert_performed(row, [c for c in classes if hasattr(c, f"test_{row.name}_is_stopped")])

    def assert_performed(self, row: Attack, classes: list[type]) -> None:
        """Assert that one class has a row, with its controls and the marks of its runs."""
        self.assertEqual(len(classes), 1, row.name)
        tests = {name for name in vars(classes[0]) if name.startswith(f"test_{row.name}_")}
        self.assertIn(f"test_{row.name}_works_without_its_defence", tests)
        for run, word in (("user", "as_user"), ("vm", "kernel")):
            marked = tests & set(getattr(classes[0], word))
            self.assertLessEqual({f"test_{row.name}_is_stopped"} if run in row.runs else set(), marked, row.name)


class TableTest(unittest.TestCase):
    """What can be said of the table without running it."""

    def test_every_script_is_used(self) -> None:
        used = {row.script or row.name for row in attacks.TABLE}
        tests = " ".join(path.read_text() for path in ROOT.glob("tests/attack/test_*.py"))
        for path in SCRIPTS.glob("[a-z]*.py"):
            self.assertTrue(path.stem in used or f'"{path.stem}"' in tests, path.stem)

    def test_every_row_has_a_script(self) -> None:
        for row in attacks.TABLE:
            self.assertTrue((SCRIPTS / f"{row.script or row.name}.py").exists(), row.name)

    def test_names_are_unique(self) -> None:
        names = [row.name for row in attacks.TABLE]
        self.assertEqual(len(names), len(set(names)))

    def test_scripts_say_threat_and_layer(self) -> None:
        for path in SCRIPTS.glob("[a-z]*.py"):
            text = ast.get_docstring(ast.parse(path.read_text())) or ""
            self.assertTrue(text.startswith("Threat: "), path.stem)
            self.assertTrue("Layer: " in text or "none" in text, path.stem)

    def test_rows_without_layers_say_why(self) -> None:
        for row in attacks.TABLE:
            self.assertTrue(row.omit or (row.why and row.by), row.name)

    def test_layers_have_files_that_exist(self) -> None:
        for name, files in FILES.items():
            for file in files.split(", "):
                self.assertTrue((ROOT / file).exists(), f"{name}: {file}")

    def test_every_step_has_an_attack(self) -> None:
        shown = set(CAPABILITIES.split(","))
        for row in attacks.TABLE:
            shown |= set(f"{row.omit},{row.by},{row.always}".split(","))
        for row in (*attacks_elsewhere.ELSEWHERE, *attacks_door.DOOR):
            shown |= set(row.layer.split(","))
        tests = (ROOT / "tests/attack/test_init.py").read_text()
        for step in steps() - set(NO_ATTACK):
            self.assertTrue(step in shown or step in tests, f"no attack shows the step {step}")

    def test_rows_of_the_network(self) -> None:
        """Each names an attack and files that exist, and every attack and layer is in a row."""
        network = attacks_egress.NETWORK
        self.assertEqual(len({row.name for row in network}), len(network))
        programs = {" ".join(row.program.split()[:2]) for row in network}
        there = set()
        for path in (ROOT / "tests/attack/egress").glob("*.py"):
            if path.stem not in ("run", "wire"):
                functions = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)]
                there |= {f"{path.stem} {node.name}" for node in functions if not node.name.startswith("_")}
        self.assertEqual(programs, there)
        for row in network:
            self.assertTrue(row.omit or (row.why and row.files), row.name)
            for file in row.sources.split(", "):
                self.assertTrue((ROOT / file).is_file(), f"{row.name}: {file}")
        omitted = set(re.findall(r'host_omits\("(egress-[a-z-]+)"\)', self.egress_sources()))
        shown = {layer for row in network for layer in f"{row.omit},{row.always}".split(",")}
        shown |= {row.layer for row in attacks_egress.NETWORK_ELSEWHERE if row.layer in attacks_egress.NETWORK_FILES}
        self.assertEqual({layer for layer in shown if layer.startswith("egress-")}, omitted)

    def egress_sources(self) -> str:
        """Return the text of glovebox-egress, and of what begins it."""
        files = [*(ROOT / "runtime/egress").glob("*.c"), *(ROOT / "runtime/protocol").glob("*.c"), ROOT / "runtime/cgroup/cgroup_network.c"]
        return "".join(path.read_text() for path in files)

    def test_rows_elsewhere_name_tests_and_files_that_exist(self) -> None:
        """A test is FOLDER/FILE, or FOLDER/FILE: NAME, NAME."""
        elsewhere = attacks_elsewhere
        rows = (*elsewhere.ELSEWHERE, *elsewhere.WARM, *elsewhere.MACHINERY, *attacks_door.DOOR)
        for row in (*rows, *attacks_egress.NETWORK_ELSEWHERE):
            for file in row.sources.split(", "):
                self.assertTrue((ROOT / file).is_file(), f"{row.threat}: {file}")
            for test in row.tests:
                place, _, names = test.partition(": ")
                paths = [ROOT / f"tests/{place}{suffix}" for suffix in (".py", ".c")]
                text = "".join(path.read_text() for path in paths if path.is_file())
                self.assertTrue(text, f"{row.threat}: there is no tests/{place}")
                for name in filter(None, names.split(", ")):
                    defined = rf"^(class|    def|static void) {name}\b"
                    self.assertRegex(text, re.compile(defined, re.MULTILINE), row.threat)

    def test_the_policy_shows_the_tables(self) -> None:
        script = ROOT / "tests/attack/policy_table.py"
        done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
