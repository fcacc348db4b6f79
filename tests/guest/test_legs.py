"""test_legs - what tools/legs makes of .ci/legs, in a checkout of its own with legs of its own."""

import os
import re
import shutil
import subprocess
import tempfile
import textwrap
import tomllib
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Legs(unittest.TestCase):
    """A checkout with one commit, and legs that say what happens."""

    def setUp(self) -> None:
        """Make it."""
        self.folder = Path(tempfile.mkdtemp(prefix="legs-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.tree = self.folder / "tree"
        for place in ("tools", "tests/support", ".ci"):
            (self.tree / place).mkdir(parents=True)
        for file in (".gitignore", "tools/legs", "tests/support/marked_tables.py"):
            shutil.copy2(ROOT / file, self.tree / file)
        self.git("init", "-q")
        self.write("legs", 'file = ["one"]')
        self.commit("first")

    def git(self, *words: str) -> str:
        """Return what git says there."""
        name = ["-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false"]
        done = subprocess.run(["git", "-C", str(self.tree), *name, *words], stdout=subprocess.PIPE, text=True, check=True)
        return done.stdout.strip()

    def write(self, name: str, text: str) -> None:
        """Write a file below .ci."""
        (self.tree / ".ci" / name).write_text(textwrap.dedent(text))

    def commit(self, file: str) -> str:
        """Change a file, and return the commit."""
        (self.tree / file).parent.mkdir(parents=True, exist_ok=True)
        with open(self.tree / file, "a", encoding="utf-8") as out:
            out.write("x")
        self.git("add", "-A")
        self.git("commit", "-qm", file)
        return self.git("rev-parse", "HEAD")

    def legs(self, *words: str) -> tuple[int, str]:
        """Run it; return the exit status and what was printed."""
        env = {name: value for name, value in os.environ.items() if not name.startswith("GLOVEBOX")}
        env |= {"XDG_CACHE_HOME": str(self.folder / "cache")}
        done = subprocess.run(
            [str(self.tree / "tools/legs"), *words], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        return done.returncode, done.stdout

    def ran(self) -> list[str]:
        """Return which legs ran since the last time; each adds its name to a file."""
        path = self.folder / "ran"
        names = path.read_text().split() if path.exists() else []
        path.unlink(missing_ok=True)
        return names

    def rows(self, **rows: str) -> None:
        """Write legs: what each has, and that it says that it ran."""
        text = "".join(f"[{name}]\nrun = 'echo {name} >>{self.folder}/ran'\nminutes = 0.1\nproves = '{name}'\n{row}\n" for name, row in rows.items())
        self.write("legs", text)

    def test_two_broken_legs_are_both_named_and_hide_no_other(self) -> None:
        self.write(
            "legs",
            """
            [first]
            gate = true
            run = "echo the first reason; exit 3"
            minutes = 0.1
            proves = "-"
            [second]
            gate = true
            run = "echo '5 passed, 2 failed, 1 skipped'; exit 1"
            minutes = 0.1
            proves = "-"
            [behind]
            gate = true
            needs = "first"
            run = "echo not reached"
            minutes = 0.1
            proves = "-"
            [third]
            gate = true
            run = "echo '7 passed, 0 failed, 0 skipped'; echo '1 passed, 0 failed, 2 skipped'"
            minutes = 0.1
            proves = "-"
            """,
        )
        status, said = self.legs("gate")
        self.assertEqual(status, 1, said)
        self.assertIn("red: first, second\n", said)
        self.assertIn("the first reason", said)
        self.assertRegex(said, r"\nbehind +not run: first is not green")
        self.assertRegex(said, r"\nthird +green ")
        self.assertEqual(said.splitlines()[-1], "13 passed, 3 failed, 3 skipped", said)
        self.assertIn("not reached", (self.tree / ".ci/legs").read_text())
        self.assertFalse((self.tree / "build/legs/behind.log").exists())

    def test_leg_that_takes_too_long_is_red_and_ended_with_all_it_began(self) -> None:
        tool = self.tree / "tools/legs"
        tool.write_text(tool.read_text().replace("min(max(SLACK * leg.row[\"minutes\"], 5), LONGEST_MIN)", "0.005"))
        self.write("legs", f'[slow]\ngate = true\nrun = "sleep 1000 & echo $! >{self.folder}/pid; wait"\nminutes = 1\nproves = "-"\n')
        status, said = self.legs("gate")
        self.assertEqual(status, 1, said)
        self.assertIn("red: not done in 0 min", said)
        state = Path(f"/proc/{(self.folder / 'pid').read_text().strip()}/stat")
        self.assertTrue(not state.exists() or state.read_text().split()[2] == "Z")

    def test_delivery_runs_what_its_files_name_and_one_by_turn(self) -> None:
        self.rows(
            gate="gate = true",
            host="paths = ['runtime/(host|inside)/']\nturn = true",
            docs="paths = ['docs/']\nturn = true",
            web="paths = ['web/']\nturn = true",
        )
        base = self.commit("elsewhere")
        self.commit("docs/page.md")
        status, said = self.legs("delivery", "--base", base)
        self.assertEqual(status, 0, said)
        first = self.ran()
        self.assertEqual(first[0], "gate")
        self.assertIn("docs", first)
        self.assertEqual(len(first), 3, said)
        self.commit("nowhere")  # what was delivered last is known from here on
        turns = []
        for i in range(4):
            self.assertEqual(self.legs("delivery")[0], 0)
            names = self.ran()
            self.assertEqual((names[0], len(names)), ("gate", 2))
            turns.append(names[1])
            self.commit(f"nowhere{i}")
        self.assertEqual(set(turns[:3]), {"host", "docs", "web"}, "each is seen every third time")
        self.assertNotIn(turns[0], first, "the one that nobody has seen comes first")

    def test_red_delivery_is_none_that_another_counts_from(self) -> None:
        self.rows(host="paths = ['host']")
        base = self.commit("elsewhere")
        self.commit("host")
        self.write("legs", (self.tree / ".ci/legs").read_text() + '[bad]\ngate = true\nrun = "false"\nminutes = 1\nproves = "-"\n')
        self.assertEqual(self.legs("delivery", "--base", base)[0], 1)
        self.assertEqual(self.ran(), ["host"])
        self.rows(host="paths = ['host']")
        self.commit("nowhere")
        self.assertEqual(self.legs("delivery")[0], 0)
        self.assertEqual(self.ran(), ["host"])

    def test_night_goes_on_where_it_was_and_writes_what_was_green(self) -> None:
        self.rows(one="", two="needs = 'one'\nnightly = 'test -e ../well && echo two >>../ran'")
        status, said = self.legs("nightly")
        self.assertEqual((status, said), (1, "legs: what is green would be no commit: .ci/legs has changes\n"))
        self.commit("rows")
        self.assertEqual(self.legs("nightly")[0], 1)
        self.assertEqual(self.ran(), ["one"])
        (self.folder / "well").touch()
        status, said = self.legs("nightly")
        self.assertEqual((status, self.ran()), (0, ["one", "two"]), "with what it needs")
        green = (self.tree / ".ci/green").read_text()
        self.assertRegex(green, rf"\none \S+ {self.git('rev-parse', 'HEAD')}\n")
        status, said = self.legs("nightly")
        self.assertEqual((status, self.ran()), (0, []), said)
        self.assertRegex(said, r"\none +green before")
        self.assertEqual((self.legs("nightly", "one")[0], self.ran()), (0, ["one"]))
        self.assertEqual((self.legs("nightly", "two")[0], self.ran()), (0, ["one", "two"]), "with what it needs")
        self.commit("docs/kernels.md")
        self.commit("tests/fixtures/kernels/sid.json")
        (self.tree / "tests/fixtures/kernels/sid.json").write_text("changed, and no commit yet")
        self.assertEqual((self.legs("nightly")[0], self.ran()), (0, []), "with what the night itself has written")
        self.commit("other")
        self.assertEqual((self.legs("nightly")[0], self.ran()), (0, ["one", "two"]))
        status, said = self.legs("nightly", "three")
        self.assertEqual(status, 1)
        self.assertIn("there is no leg three: they are one two\n", said)

    def test_night_does_not_repeat_what_a_delivery_has_proven(self) -> None:
        self.rows(same="gate = true", longer="gate = true\nnightly = 'echo night >>../ran'", unsteady="gate = true")
        text = (self.tree / ".ci/legs").read_text().replace("echo unsteady", "echo unsteady: a/b.py::C::d; echo unsteady")
        self.write("legs", text)
        self.commit("rows")
        self.assertEqual((self.legs("delivery")[0], self.ran()), (0, ["same", "longer", "unsteady"]))
        (self.tree / "build/unsteady").unlink()
        self.legs("nightly")
        self.assertEqual(self.ran(), ["night", "unsteady"])

    def test_unsteady_test_is_listed_and_makes_the_night_red(self) -> None:
        self.write("legs", '[one]\ngate = true\nrun = "echo unsteady: a/b.py::C::d"\nminutes = 1\nproves = "-"\n')
        self.commit("rows")
        self.assertEqual(self.legs("gate")[0], 0)
        self.assertEqual((self.tree / "build/unsteady").read_text(), "a/b.py::C::d\n")
        for _ in range(2):
            status, said = self.legs("nightly")
            self.assertEqual(status, 1)
            self.assertIn("red: unsteady tests ", said)
        self.assertFalse((self.tree / ".ci/green").exists())

    def test_leg_whose_tests_are_all_skipped_is_not_green(self) -> None:
        self.write("legs", '[one]\ngate = true\nrun = "echo 0 passed, 0 failed, 3 skipped"\nminutes = 1\nproves = "-"\n')
        status, said = self.legs("delivery")
        self.assertEqual(status, 0)
        self.assertRegex(said, r"\none +skipped ")
        self.assertNotIn("one ", next((self.folder / "cache").glob("glovebox-legs")).read_text())

    def test_where_nothing_is_known_of_the_delivery_before_all_run(self) -> None:
        self.rows(gate="gate = true", host="paths = ['runtime/']\nturn = true", docs="paths = ['docs/']", night="")
        self.assertEqual((self.legs("delivery")[0], self.ran()), (0, ["gate", "host", "docs"]))
        self.commit("elsewhere")
        self.assertEqual((self.legs("delivery")[0], self.ran()), (0, ["gate", "host"]))
        shutil.rmtree(self.tree / ".git")
        status, said = self.legs("delivery")
        self.assertEqual((status, self.ran()), (1, []))
        self.assertIn("legs: git ", said)

    def test_what_is_prepared_is_there_when_its_leg_begins(self) -> None:
        self.write("legs", '[one]\ngate = true\nprepare = "sleep 0.3; touch ../there"\nrun = "test -e ../there"\nminutes = 1\nproves = "-"\n')
        self.assertEqual(self.legs("gate")[0], 0)

    def test_delivery_runs_two_at_once_where_they_may(self) -> None:
        meets = "touch ../{0}; for _ in $(seq 300); do [ -e ../{1} ] && exit; sleep 0.1; done; exit 1"
        self.rows(first="gate = true")
        text = (self.tree / ".ci/legs").read_text()
        for one, other in (("left", "right"), ("right", "left")):
            text += f"[{one}]\npaths = ['x']\nbeside = true\nrun = '{meets.format(one, other)}'\nminutes = 0.1\nproves = '-'\n"
        self.write("legs", text)
        self.commit("rows")
        status, said = self.legs("delivery")
        self.assertEqual((status, self.ran()), (0, ["first"]), said)
        self.assertRegex(said, r"(?s)== first .*== (left|right) .*== (left|right) .*\n   (left|right): green")

    def test_what_a_leg_began_may_clean_up_when_it_is_ended(self) -> None:
        tool = self.tree / "tools/legs"
        tool.write_text(tool.read_text().replace("min(max(SLACK * leg.row[\"minutes\"], 5), LONGEST_MIN)", "0.01"))
        (self.tree / "slow").write_text("trap 'sleep 0.2; touch ../cleaned; exit 1' TERM\nwhile :; do sleep 0.05; done\n")
        self.write("legs", '[one]\ngate = true\nrun = "sh slow; echo"\nminutes = 1\nproves = "-"\n')
        self.assertEqual(self.legs("gate")[0], 1)
        self.assertTrue((self.folder / "cleaned").exists())


class OurLegs(unittest.TestCase):
    """.ci/legs itself."""

    def test_each_leg_says_what_it_needs_to(self) -> None:
        legs = tomllib.loads((ROOT / ".ci/legs").read_text())
        known = {"run", "nightly", "gate", "needs", "beside", "paths", "turn", "prepare", "minutes", "proves"}
        for name, row in legs.items():
            with self.subTest(name):
                self.assertLessEqual(set(row), known)
                self.assertTrue({"run", "nightly"} & set(row))
                self.assertIn(row.get("needs", name), legs)
                self.assertTrue(row["proves"] and row["minutes"] > 0)
                self.assertTrue("run" in row or not {"gate", "turn", "paths"} & set(row))
        self.assertLessEqual(sum("turn" in row for row in legs.values()), 5, "each is seen at least every fifth delivery")
        listed = subprocess.run(["git", "-C", str(ROOT), "ls-files"], stdout=subprocess.PIPE, text=True, check=False)
        patterns = [pattern for row in legs.values() for pattern in row.get("paths", ())]
        unknown = [p for p in patterns if not any(re.match(p, file) for file in listed.stdout.splitlines())]
        self.assertEqual(unknown if listed.returncode == 0 else [], [], "no file has such a path")


if __name__ == "__main__":
    unittest.main()
