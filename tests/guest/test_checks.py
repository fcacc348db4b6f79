"""test_checks - what tools/check-layers and tools/check-words find in a tree that has it."""

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Checks(unittest.TestCase):
    """A copy of the sources, in which something is made wrong."""

    def setUp(self) -> None:
        """Copy what they look at."""
        self.tree = Path(tempfile.mkdtemp(prefix="checks-"))
        self.addCleanup(shutil.rmtree, self.tree)
        listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard"], stdout=subprocess.PIPE, text=True, check=False)
        if listed.returncode:
            self.skipTest("cannot: this is no checkout of git")
        for name in listed.stdout.splitlines():
            if name.startswith(("runtime/", "agent/", "rootfs/", "tools/", "tests/")) and (ROOT / name).is_file():
                (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.tree / name)
        subprocess.run(["git", "init", "-q", str(self.tree)], check=True)

    def said(self, tool: str) -> list[str]:
        """Return the lines of a tool, which fails exactly if there are some."""
        done = subprocess.run([str(self.tree / "tools" / tool)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(done.returncode, 1 if done.stdout else 0, done.stdout)
        return done.stdout.splitlines()

    def change(self, name: str, before: str, after: str) -> None:
        """Replace a text, which is there, in a file."""
        path = self.tree / name
        text = path.read_text()
        self.assertIn(before, text)
        path.write_text(text.replace(before, after, 1))

    def test_files_that_include_each_other(self) -> None:
        self.assertEqual(self.said("check-layers"), [])
        self.change("runtime/base/err.h", "#define GLOVEBOX_BASE_ERR_H\n", '#define GLOVEBOX_BASE_ERR_H\n#include "base/json.h"\n')
        self.assertIn("base/err: files include each other: ", "".join(self.said("check-layers")))

    def test_circle_that_is_no_more_must_leave_the_list(self) -> None:
        self.change("tools/check-layers", '"warm: clients requests requests_parts supervisor"', '"warm: clients pool requests requests_parts supervisor"')
        self.assertEqual(self.said("check-layers"), ["check-layers: warm/pool: no circle any more; take it out of CIRCLES"])

    def test_room_with_too_many_files(self) -> None:
        room = self.tree / "runtime/probe"
        files = len([*room.glob("*.c"), *room.glob("*.h")])
        for number in range(61 - files):
            (room / f"new_{number}.h").write_text("")
        self.assertIn("runtime/probe: 61 files, 60 at most", "".join(self.said("check-layers")))

    def test_header_that_differs_in_the_testing_build(self) -> None:
        self.change("runtime/inside/plan.h", "struct inside_plan {", "#ifdef GLOVEBOX_TESTING\n#endif\nstruct inside_plan {")
        self.assertIn("runtime/inside/plan.h: a header must not depend on GLOVEBOX_TESTING", "".join(self.said("check-layers")))

    def quote(self) -> None:
        """Quote a new message in both languages: a part of it, in one string that goes on in the next line, and not in a docstring."""
        five = " ".join(("is", "as", "wrong", "as", "can"))  # not in one string: this file is counted, too
        with (self.tree / "tests/messages.txt").open("a") as messages:
            messages.write(f"invalid\truntime/base/ago.c\tago\t%s {five} be\n")
        (self.tree / "tests/new").mkdir()
        (self.tree / "tests/new/a.py").write_text(f'"""It {five}."""\nA = "it {five}"\nB = (\n    "is as "\n    "wrong as can be"\n)\n')
        (self.tree / "tests/new/a.c").write_text(f'f("is as wrong as %s can");\ng("{five}");\n')

    def test_words_may_only_become_fewer(self) -> None:
        self.assertEqual(self.said("check-words"), [])
        self.quote()
        path = self.tree / "runtime/base/ago.c"
        path.write_text(path.read_text() + "/* Whoever reads this is no friend. */\n")
        said = self.said("check-words")
        self.assertRegex(said[0], r"^runtime/base: \d+ comments begin with Who, What, Of or Nobody, at most \d+$")
        self.assertRegex(said[1], r'^runtime/base: \d+ times "is no", at most \d+$')
        self.assertEqual(said[2], "tests/new: 3 strings quote a message of tests/messages.txt, at most 0")
        path.unlink()
        shutil.rmtree(self.tree / "runtime/warm")
        self.assertRegex("\n".join(self.said("check-words")), r"runtime/warm: 0 .*, so lower its row in check-words from \d+")


if __name__ == "__main__":
    unittest.main()
