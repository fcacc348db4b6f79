"""What is missing is asked for once (tools/install-deps), and what is installed is whole."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from support.case import Case
from support.run import GLOVEBOX, ROOT, Result, execute

# Knows of nothing but gcc, and does nothing.
DPKG_QUERY = "#!/bin/sh\necho 'ii  gcc'\n"


class Dependencies(Case):
    """tools/install-deps of an ordinary user."""

    def ask(self, what: str, **env: str) -> list[str]:
        """Return what it says on a machine where hardly anything is there."""
        tool = Path(shutil.copy(ROOT / "tools/install-deps", self.folder))
        self.file("dpkg-query", DPKG_QUERY).chmod(0o755)
        self.file("id", "#!/bin/sh\necho 1234\n").chmod(0o755)
        path = f"{self.folder}:{os.environ['PATH']}"
        said = self.assert_status(execute([str(tool), what], env={"PATH": path} | env), 1)
        return said.err.splitlines()

    def test_one_line_holds_all_that_make_demo_and_check_want(self) -> None:
        for what in ("build", "image", "check"):
            with self.subTest(what):
                said = self.ask(what)
                self.assertEqual(len(said), 3)
                self.assertTrue(said[2].endswith(f": {self.folder.resolve()}/install-deps all"), said[2])
                self.assertIn("apt-get update && apt-get install", said[1])
                packages = said[1].split()
                for name in ("libcjson-dev", "mmdebstrap", "uidmap", "libcmocka-dev"):
                    self.assertEqual(packages.count(name), 1, name)
                self.assertNotIn("gcc", packages)

    def test_one_set_holds_all_others(self) -> None:
        said = self.ask("all")
        self.assertEqual(len(said), 2)
        everything = said[1].split()
        sets = re.findall(r"^([a-z]+)\) want=", (ROOT / "tools/install-deps").read_text(), re.MULTILINE)
        self.assertIn("appliance", sets)
        for what in set(sets) - {"all", "ci"}:
            self.assertLessEqual(set(self.ask(what)[1].split()), set(everything), what)

    def test_a_registry_is_wanted_in_ci_alone(self) -> None:
        for env, wanted in ({}, False), ({"CI": "true"}, True):
            packages = self.ask("check", **env)[1].split()
            for name in ("skopeo", "docker-registry", "zsh", "systemd", "apparmor"):
                self.assertEqual(name in packages, wanted, name)


class Installed(Case):
    """make install and make uninstall."""

    def make(self, target: str, prefix: str = "/usr", umask: int = 0o077) -> None:
        """Run a target of the Makefile on a directory of ours."""
        build = Path(GLOVEBOX).resolve().parents[1]
        command = ["make", "-s", "-o", "all", target, f"B={build}", f"PREFIX={prefix}"]
        done = subprocess.run([*command, f"DESTDIR={self.folder}/d"], cwd=ROOT, umask=umask,
                              capture_output=True, text=True)  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)

    def there(self) -> dict[str, Path]:
        """Return what is there but directories, by the path that it will have."""
        top = self.folder / "d"
        return {f"/{p.relative_to(top)}": p for p in top.rglob("*") if p.is_symlink() or not p.is_dir()}

    def installed(self, *words: str) -> Result:
        """Run the installed program."""
        return execute([str(self.folder / "d/usr/bin/glovebox"), *words])

    def test_everything_has_a_place_and_whoever_reads_it_may(self) -> None:
        self.make("install")
        there = self.there()
        programs = [path for path in there if path.startswith("/usr/bin/")]
        self.assertLessEqual({"/usr/bin/glovebox", "/usr/bin/glovebox-image"}, set(programs))
        for path in programs:
            self.assertIn(f"/usr/share/man/man1/{Path(path).name}.1", there)
        for path in ("share/bash-completion/completions/glovebox", "share/zsh/site-functions/_glovebox",
                     "lib/tmpfiles.d/glovebox.conf", "share/doc/glovebox/docs/install.md",
                     "lib/glovebox/guest/selftest-probe", "lib/glovebox/guest/mover", "share/glovebox/recipes/python.json",
                     "share/glovebox/egress/pypi"):  # fmt: skip
            self.assertIn(f"/usr/{path}", there)
        for path in (self.folder / "d").rglob("*"):
            self.assertEqual(path.stat().st_mode & 0o7055, 0o055 if path.is_dir() else
                             path.stat().st_mode & 0o011 | 0o044, path)  # fmt: skip
        unit = there["/usr/lib/systemd/user/glovebox-warm.service"].read_text()
        self.assertIn("ExecStart=/usr/bin/glovebox ", unit)

    def test_the_runtime_needs_no_network_library(self) -> None:
        self.make("install-runtime")
        for path in (self.folder / "d/usr/bin").iterdir():
            needed = execute(["objdump", "-p", str(path)]).out
            self.assertIn("NEEDED", needed)
            self.assertIsNone(re.search("NEEDED.*(curl|tls|ssl|zmq)", needed), path)
        for command in ("agent", "kernel", "serve"):
            self.assert_refused(self.installed(command), f"glovebox-{command} is not installed", "docs/install.md")

    def test_the_server_needs_one_and_has_a_unit(self) -> None:
        self.make("install-serve")
        there = self.there()
        program, unit = "/usr/bin/glovebox-serve", "/usr/lib/systemd/system/glovebox-serve@.service"
        listener = "/usr/lib/systemd/system/glovebox-serve@.socket"
        users = [f"/usr/lib/{kind}.d/glovebox-serve.conf" for kind in ("sysusers", "tmpfiles")]
        self.assertEqual(set(there), {program, unit, listener, "/usr/share/man/man1/glovebox-serve.1", *users})
        self.assertRegex(execute(["objdump", "-p", str(there[program])]).out, "NEEDED.*gnutls")
        self.assertIn("ExecStart=/usr/bin/glovebox serve ", there[unit].read_text())

    def test_library_is_described_for_pkg_config(self) -> None:
        self.make("install-library", "/opt/chamber")
        names = {"include/libglovebox.h", "lib/libglovebox.a", "lib/pkgconfig/libglovebox.pc"}
        self.assertEqual(set(self.there()), {f"/opt/chamber/{name}" for name in names})
        self.assertIn("prefix=/opt/chamber\n", self.there()["/opt/chamber/lib/pkgconfig/libglovebox.pc"].read_text())
        self.make("uninstall", "/opt/chamber")
        self.assertEqual(self.there(), {})

    def test_what_is_looked_up_at_run_time_is_found_there(self) -> None:
        self.make("install")
        words = self.assert_status(self.installed("generate", "words", "image", "build", "")).out
        self.assertLessEqual({"python", "slim"}, set(words.split()))
        listed = self.assert_status(self.installed("run", "--explain", "--egress", "npm", "host", "true")).out
        self.assertIn("registry.npmjs.org:443 tls", listed)
        tried = self.assert_status(self.installed("selftest", "--json", "--only", "no-new-privs"))
        self.assertTrue(tried.json["layers"])

    def test_uninstall_leaves_nothing(self) -> None:
        for prefix in ("/usr", "/opt/chamber"):
            self.make("install", prefix)
            self.assertGreater(len(self.there()), 20)
            self.make("uninstall", prefix)
            self.assertEqual(self.there(), {})
            self.assertEqual(list((self.folder / "d").rglob("*glovebox*")), [], "directories of ours")
