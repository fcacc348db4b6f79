"""What `make install` brings for systemd and AppArmor, read by their own programs."""

import functools
import json
import re
import shutil
import subprocess
import unittest
from pathlib import Path

from support.case import Case
from support.run import GLOVEBOX, ROOT, execute

UNITS = ROOT / "tools/package/systemd"
FIGURES = {  # which page has systemd's figure, and the reasons for what is left
    "glovebox-warm@.service": "warm.md",
    "user/glovebox-warm.service": "warm.md",
    "user/glovebox-engine.service": "engine.md",
    "glovebox-serve@.service": "serve-operate.md",
    "glovebox-selftest.service": "selftest.md",
}
PROFILE = ROOT / "tools/package/apparmor/glovebox"
DOCUMENTED_WITH = 252  # systemd's version; others count other points
NEEDS_PARSER = 4  # the first AppArmor with `userns,`


@functools.cache
def version(program: str) -> int:
    """Return the first number that a program says of itself; 0: there is no such program."""
    path = shutil.which(program, path="/usr/bin:/usr/sbin:/bin:/sbin")
    said = subprocess.run([path, "--version"], capture_output=True, text=True).stdout if path else ""
    return int(found[0]) if (found := re.search(r"\d+", said)) else 0


class Package(Case):
    """Files with the place of the programs written into them."""

    def installed(self, source: Path) -> Path:
        """Return a file as make install writes it."""
        (self.folder / "bin").mkdir(exist_ok=True)
        program = self.folder / "bin/glovebox"
        program.exists() or program.symlink_to(Path(GLOVEBOX).resolve())
        text = source.read_text().replace("@PREFIX@", str(self.folder))
        return self.file(source.name, text)


@unittest.skipUnless(version("systemd-analyze"), "cannot: there is no systemd-analyze")
class Units(Package):
    """The units of a warm supervisor, of a server, and of a selftest."""

    def test_systemd_reads_them_without_a_word(self) -> None:
        system = [self.installed(path) for path in sorted(UNITS.glob("*.*"))]
        instances = [path.rename(path.with_name(path.name.replace("@", "@daemon"))) for path in system]
        self.assertEqual(len(instances), 5)
        user = [self.installed(path) for path in sorted((UNITS / "user").iterdir())]
        for scope, units in (([], instances), (["--user"], user)):
            env = {"XDG_RUNTIME_DIR": str(self.folder)}
            said = execute(["systemd-analyze", *scope, "verify", "--man=no", *map(str, units)], env=env)
            self.assertEqual((said.status, said.out, said.err), (0, "", ""))

    def test_they_refuse_no_call_that_a_program_inside_may_make(self) -> None:
        """The filter of a unit holds for every cell, too."""
        for path in UNITS.rglob("*.service"):
            if path.name == "glovebox-selftest.service":
                continue
            refused = re.search(r"^SystemCallFilter=~(.*)$", path.read_text(), re.MULTILINE)
            self.assertTrue(refused)
            said = self.assert_status(execute(["systemd-analyze", "syscall-filter", *refused[1].split()])).out
            calls = {line.strip() for line in said.splitlines() if line.startswith(" ")}
            self.assertIn("ptrace", calls)
            for name in ("python", "nursery"):
                rules = json.loads((ROOT / f"policy/{name}.json").read_text())["syscalls"]
                allowed = {call for rule in rules for call in rule["names"] if rule["action"] == "SCMP_ACT_ALLOW"}
                self.assertEqual(calls & allowed, set(), name)

    def look(self, path: Path) -> tuple[float, set[str]]:
        """Return systemd's figure for a unit, and the directives that are left."""
        unit = self.installed(path)
        base = ["systemd-analyze", "security", "--offline=true", "--no-pager"]
        said = self.assert_status(execute([*base, str(unit)])).out
        rows = json.loads(self.assert_status(execute([*base, "--json=short", str(unit)])).out)
        left = {re.split("=", row["name"])[0] for row in rows if float(row["exposure"] or 0) > 0}
        return float(re.search(r"Overall exposure level .*: ([\d.]+)", said)[1]), left

    def test_every_service_has_a_figure(self) -> None:
        there = {str(path.relative_to(UNITS)) for path in UNITS.rglob("*.service")}
        self.assertEqual(there, set(FIGURES))

    def test_the_docs_have_the_figures_and_each_point_that_is_left(self) -> None:
        for name, page in FIGURES.items():
            text = (ROOT / "docs" / page).read_text()
            figure, left = self.look(UNITS / name)
            documented = float(re.search(rf"`{Path(name).name}`: ([\d.]+)", text)[1])
            with self.subTest(name):
                if version("systemd-analyze") != DOCUMENTED_WITH:
                    self.assertLess(figure, documented + 0.5)
                    continue
                self.assertEqual(figure, documented)
                if "/" not in name:
                    cells = re.findall(r"^\| (`\w+=`[^|]*) \|", text, re.MULTILINE)
                    self.assertEqual(sorted(re.findall(r"`(\w+)=`", " ".join(cells))), sorted(left))


class Profile(Package):
    """The profile for kernels that restrict user namespaces."""

    def test_apparmor_reads_it(self) -> None:
        if not (there := version("apparmor_parser")):
            self.skipTest("cannot: there is no apparmor_parser")
        if there < NEEDS_PARSER:
            self.skipTest(f"cannot: AppArmor {there} has no rule for user namespaces")
        profile = str(self.installed(PROFILE))
        said = self.assert_status(execute(["/usr/sbin/apparmor_parser", "-Q", "--skip-cache", "--names", profile]))
        self.assertEqual(said.out, "glovebox\n")
        said = self.assert_status(execute(["/usr/sbin/apparmor_parser", "-Q", "--skip-cache", profile]))
        self.assertNotIn("rror", said.err)

    def test_it_is_for_every_program_that_makes_sandboxes(self) -> None:
        there = {path.name for path in Path(GLOVEBOX).parent.iterdir() if not path.is_symlink()}
        named = re.search(r"@PREFIX@/bin/glovebox\{(.*)\} flags=\(unconfined\)", PROFILE.read_text())
        self.assertTrue(named)
        makes_none = {"glovebox-egress"}  # it serves the network of one that is there
        self.assertEqual({"glovebox" + end for end in named[1].split(",")}, there - makes_none)
