"""test_hooks - what a build does inside the new root: it tries what it has installed, and lists fonts."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HOOKS = Path(__file__).resolve().parents[2] / "rootfs/hooks"

MODULES = {
    "good": "value = 1",
    "chatty": "print('to stdout')",
    "threads": "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()",
    "library": "raise ImportError('libnothing.so.1: cannot open shared object file: No such file or directory')",
    "optional": "import no_such_module",
    "crash": "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
    "ends": "import sys\nsys.exit('over')",
    "prose": "import resource\nif resource.getrlimit(resource.RLIMIT_NPROC)[0]: raise type('it starts', (Exception,), {})",
}


def hook(name: str):
    """Return a hook as a module."""
    spec = importlib.util.spec_from_file_location(name, HOOKS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Folder(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)


class CheckModules(Folder):
    """check_modules.py"""

    def check(self, *preloads: str) -> subprocess.CompletedProcess:
        for name, source in MODULES.items():
            (self.folder / f"{name}.py").write_text(source)
        script = (HOOKS / "check_modules.py").read_text()
        env = {**os.environ, "PYTHONPATH": str(self.folder), "GLOVEBOX_PRELOAD": " ".join(preloads), "GLOVEBOX_APT": "python3-none"}
        return subprocess.run([sys.executable, "-"], input=script, env=env, capture_output=True, text=True, check=False)

    def test_what_works(self) -> None:
        done = self.check("good", "chatty")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_the_first_culprit_is_the_cause(self) -> None:
        for name, words in {"threads": "it starts 1 thread", "library": "libnothing.so.1", "crash": "status -9", "ends": "SystemExit: over", "optional": "no_such_module", "prose": "it starts:"}.items():
            with self.subTest(name=name):
                done = self.check("good", name, "threads")
                self.assertEqual((done.returncode, done.stdout.splitlines()[0]), (1, "preload"))
                self.assertTrue(done.stdout.splitlines()[1].startswith(f"{name}: "), done.stdout)
                self.assertIn(words, done.stdout)

    def test_of_what_is_only_installed_a_missing_library_counts(self) -> None:
        check = hook("check_modules")
        for name, source in MODULES.items():
            (self.folder / f"{name}.py").write_text(source)
        sys.path.insert(0, str(self.folder))
        self.addCleanup(sys.path.remove, str(self.folder))
        found = {name: check.tried(name, False)[0] for name in MODULES if name != "chatty"}
        self.assertEqual({name for name, is_bad in found.items() if is_bad}, {"library", "crash"})

    def test_names_of_modules(self) -> None:
        name = hook("check_modules").module_of
        for path, module in {
            "numpy/__init__.py": "numpy",
            "six.py": "six",
            "yaml.cpython-313-x86_64-linux-gnu.so": "yaml",
            "_yaml.cpython-313-x86_64-linux-gnu.so": "",
            "plain.so": "plain",
            "numpy/core/__init__.py": "",
            "numpy-2.2.4.dist-info/METADATA": "",
            "../../../bin/f2py": "",
            "tests/__init__.py": "",
            "a-b.py": "",
        }.items():
            self.assertEqual(name(path), module, path)


@unittest.skipUnless(importlib.util.find_spec("pip"), "cannot: no pip here")
class ChooseWheels(Folder):
    """choose_wheels.py"""

    def choose(self, debian: dict[str, str], *plan: dict) -> subprocess.CompletedProcess:
        for name, version in debian.items():
            about = self.folder / f"{name}-{version}.dist-info"
            about.mkdir()
            (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        (self.folder / "plan").write_text(json.dumps({"install": plan}))
        script = (HOOKS / "choose_wheels.py").read_text().replace("/usr/lib/python3/dist-packages", str(self.folder))
        args = [str(self.folder / "plan")] if plan else []
        return subprocess.run([sys.executable, "-c", script, *args], capture_output=True, text=True, check=False)

    def item(self, name: str, *needs: str, digest: str = "") -> dict:
        source = {"url": f"file:///w/{name}-2-py3-none-any.whl", "archive_info": {"hashes": {"sha256": digest} if digest else {}}}
        return {"metadata": {"name": name, "version": "2", "requires_dist": list(needs)}, "download_info": source}

    def test_what_is_missing_has_its_url_and_hash(self) -> None:
        done = self.choose({"needed": "1"}, self.item("wanted", "needed", digest="12"), self.item("other"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "wanted @ file:///w/wanted-2-py3-none-any.whl#sha256=12\nother @ file:///w/other-2-py3-none-any.whl\n")

    def test_what_debian_has_is_not_replaced(self) -> None:
        needs = ('Needed_it>=1; python_version > "3"', 'needed-it>=9; python_version < "3"', "needed.it<3,>=2")
        done = self.choose({"needed_it": "1.5", "odd": "1-nonsense"}, self.item("easy", "needed-it"), self.item("wanted", *needs), self.item("needed-it"))
        said = "needed-it 2: wanted 2 wants needed-it<3,>=2, and Debian's package is 1.5"
        self.assertEqual((done.returncode, done.stdout.splitlines()), (1, ["pip-installed", said]), done.stderr)
        self.assertEqual(done.stderr, f"glovebox: {said}\n")

    def test_what_is_no_single_line_for_pip_is_refused(self) -> None:
        """An index and a wheel say these words; pip reads options and ${variables} in the file they would go to."""
        for at, word in (
            (("metadata", "name"), "wanted\n--no-binary :all:"),
            (("metadata", "name"), "-r"),
            (("metadata", "version"), "1\x1b[2J"),
            (("download_info", "url"), "http://w/wanted-2-py3-none-any.whl?a ; python_version<'3'"),
            (("download_info", "url"), "http://w/wanted-2-py3-none-any.whl?a\n-r /etc/hosts"),
            (("download_info", "url"), "http://w/wanted-2-py3-none-any.whl?${PIP_INDEX_URL}"),
            (("download_info", "archive_info", "hashes", "sha256"), "12\n--no-binary :all:"),
        ):
            with self.subTest(at=at, word=word):
                item = place = self.item("wanted")
                for key in at[:-1]:
                    place = place[key]
                place[at[-1]] = word
                done = self.choose({}, item)
                self.assertEqual((done.returncode, done.stdout.splitlines()[0]), (1, "pip"), done.stderr)
                self.assertIn(ascii(word), done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_debians_versions_are_constraints(self) -> None:
        self.assertEqual(self.choose({"needed_it": "1.5", "odd": "1-nonsense"}).stdout, "needed-it==1.5\n")

    def test_what_was_asked_for_is_said(self) -> None:
        done = self.choose({"wanted": "1"}, self.item("wanted"))
        self.assertEqual(done.stdout.splitlines()[1], "wanted 2: it was asked for, and Debian's package is 1")


class Fonts(Folder):
    """warm_caches.py"""

    def listed(self, *families: str) -> list[dict]:
        path = self.folder / "fontlist-v330.json"
        path.write_text(json.dumps({"_version": 330, "ttflist": [{"fname": f"{name}.ttf", "name": name, "weight": 400} for name in families]}))
        hook("warm_caches").add_aliases(str(path))
        return json.loads(path.read_text())["ttflist"]

    def test_fonts_stand_in_for_those_that_people_name(self) -> None:
        fonts = self.listed("DejaVu Sans", "Liberation Sans")
        self.assertLessEqual({"Arial", "Helvetica"}, {font["name"] for font in fonts})
        self.assertEqual({font["fname"] for font in fonts if font["name"] == "Arial"}, {"Liberation Sans.ttf"})

    def test_a_font_that_is_there_has_its_name(self) -> None:
        fonts = self.listed("Arial", "Liberation Sans")
        self.assertEqual({font["fname"] for font in fonts if font["name"] == "Arial"}, {"Arial.ttf"})


if __name__ == "__main__":
    unittest.main()
