"""What packages are made of (tools/package): the parts that need no package to be built.

Packages themselves are built, installed, upgraded and removed by `make check-packages`.
"""

import re
import shutil
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

from support.case import Case
from support.run import IS_ROOT, ROOT, execute

PACKAGE = ROOT / "tools/package"
NOBODY = ("setpriv", "--reuid", "4321", "--regid", "4321", "--clear-groups") if IS_ROOT else ()


def needs(program: str) -> Callable[[Any], Any]:
    """Skip where the set "package" of tools/install-deps is not installed."""
    reason = f"cannot: {program} is not installed (tools/install-deps package)"
    return unittest.skipUnless(shutil.which(program), reason)


class Packages(Case):
    """They say what the source says."""

    def setUp(self) -> None:
        super().setUp()
        heading = re.search(r"^## ([0-9.]+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
        self.version = heading[1] if heading else ""

    def test_what_debians_needs_to_build_is_what_make_asks_for(self) -> None:
        control = (PACKAGE / "debian/control").read_text().partition("Standards-Version")[0]
        wanted = set(re.findall(r"^ ([a-z0-9-]+)", control, re.MULTILINE))
        asked = (ROOT / "tools/install-deps").read_text()
        build = set(re.search(r'^build="(.*)"', asked, re.MULTILINE)[1].split()) - {"gcc", "libc6-dev"}  # essential
        ours = {name for name in wanted if not re.match("debhelper|dh-", name)}
        self.assertEqual(ours, build)

    def test_all_name_the_version_of_the_changelog(self) -> None:
        for name, line in (("PKGBUILD", "pkgver={}"), ("glovebox.spec", "Version:        {}")):
            self.assertIn(line.format(self.version), (PACKAGE / name).read_text().splitlines())

    @needs("dpkg-parsechangelog")
    def test_debians_changelog_is_ours(self) -> None:
        ours = self.file("CHANGELOG.md", "# Changelog\n\n## 0.3.1 (unreleased)\n\n-" + " long words" * 20 +
                         "\n  and more.\n- Short.\n\n## 0.3 (2026-10-01)\n\n- First.\n")  # fmt: skip
        env = {"SOURCE_DATE_EPOCH": "1800000000"}
        said = self.assert_status(execute([str(PACKAGE / "changelog"), str(ours)], env=env)).out
        self.assertLess(max(len(line) for line in said.splitlines() if not line.startswith(" --")), 80)
        self.assertIn("words and more.\n  * Short.\n\n --", re.sub(r"\s*\n    ", " ", said))
        parse = ["dpkg-parsechangelog", "-l", str(self.file("debian", said)), "--all", "-S"]
        for field, wanted in (("Version", "0.3.1"), ("Timestamp", "1800000000")):
            self.assertEqual(self.assert_status(execute([*parse, field])).out.strip(), wanted)
        self.assertRegex(said, r"(?s)glovebox \(0\.3\).*First.*Thu, 01 Oct 2026")

    def test_scripts_can_be_read_by_their_shells(self) -> None:
        for script in (*PACKAGE.glob("debian/*.p*"), PACKAGE / "build-deb", PACKAGE / "changelog"):
            self.assert_status(execute(["sh", "-n", str(script)]))
        for script in (PACKAGE / "PKGBUILD", PACKAGE / "check-others", *ROOT.glob("tests/root/*")):
            self.assert_status(execute(["bash", "-n", str(script)]))

    @needs("makepkg")
    def test_arch_can_read_its_recipe(self) -> None:
        with tempfile.TemporaryDirectory(dir="/tmp") as place:  # makepkg refuses root
            Path(place).chmod(0o777)
            shutil.copy(PACKAGE / "PKGBUILD", place)
            env = {"PACMAN": "true", "BUILDDIR": place}
            said = execute([*NOBODY, "makepkg", "--printsrcinfo"], cwd=place, env=env)
        self.assertEqual(re.findall("^pkgname = (.*)", self.assert_status(said).out, re.MULTILINE),
                         ["glovebox", "glovebox-agent", "glovebox-kernel", "glovebox-serve"])  # fmt: skip
        self.assertEqual(said.err, "")

    @needs("rpmspec")
    def test_rpm_can_read_its_recipe(self) -> None:
        spec = str(PACKAGE / "glovebox.spec")
        self.assertEqual(self.assert_status(execute(["rpmspec", "--parse", spec])).err, "")
        names = execute(["rpmspec", "--query", "--queryformat", "%{NAME} %{VERSION}\n", spec])
        self.assertEqual(self.assert_status(names).out.splitlines(),
                         [f"{name} {self.version}" for name in ("glovebox", "glovebox-agent", "glovebox-kernel", "glovebox-serve")])  # fmt: skip
