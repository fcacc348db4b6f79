"""glovebox cache: wheels that are fetched in a sandbox once, and installed in others without a network."""

import json
import os
import shutil
import tempfile
from pathlib import Path

from support.case import Case
from support.run import IS_ROOT, Result, glovebox, parallel, run
from support.small_image import ID, NAME, PIP, give_pip, make_store, make_wheel, skip_without_pip

WHEEL = "tablet-1.0-py3-none-any.whl"
PLACE = "/opt/glovebox/wheels"
INSTALL = f"""
import os, subprocess, sys
print(os.environ["PIP_FIND_LINKS"], os.environ.get("PIP_NO_INDEX"), sorted(os.listdir("{PLACE}")), flush=True)
pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q", "install", "--root-user-action=ignore"]
subprocess.run([*pip, "--target", "/tmp/p", "tablet"], check=True)
sys.path.insert(0, "/tmp/p")
import tablet
tablet.main()
for change in (lambda: open("{PLACE}/x", "w"), lambda: os.unlink("{PLACE}/{WHEEL}"), lambda: open("{PLACE}/{WHEEL}", "a")):
    try:
        change()
        print("changed")
    except OSError as error:
        print(error.strerror)
"""
INSTALLED = f"{PLACE} 1 ['{WHEEL}']\na table\n" + "Read-only file system\n" * 3
# What stands in for pip in an image: it leaves what no pip would.
HOSTILE = """
import os
os.chdir("/output")
for name in ("tablet-1.0-py3-none-any.whl", "new-1.0-py3-none-any.whl", "notes.txt", "a b-1-py3-none-any.whl",
             ".h-1-py3-none-any.whl", "\\x1b[2J-1-py3-none-any.whl", "new.whl"):
    open(name, "w").write("hostile")
os.symlink("/etc/passwd", "link-1-py3-none-any.whl")
os.mkfifo("fifo-1-py3-none-any.whl")
os.mkdir("dir-1-py3-none-any.whl")
open("dir-1-py3-none-any.whl/in-1-py3-none-any.whl", "w").write("x")
open("large-1-py3-none-any.whl", "w").truncate(1 << 20)
"""


class Base(Case):
    """With a cache, and a directory of wheels, of each test's own."""

    def setUp(self) -> None:
        """Make them."""
        super().setUp()
        skip_without_pip()
        self.shelf = self.folder / "shelf"
        self.shelf.mkdir()
        make_wheel(self.shelf)
        self.cache = self.folder / "cache/glovebox"
        self.env = {"XDG_CACHE_HOME": str(self.cache.parent)}

    @property
    def wheels(self) -> dict[str, bytes]:
        """What is in the cache."""
        return {path.name: path.read_bytes() for path in (self.cache / "wheels").iterdir()}

    def fill(self, *words: str | Path, **env: str) -> Result:
        """Fetch from the shelf."""
        return glovebox("cache", "pip", "--from", self.shelf, *words, env=self.env | env)

    def install(self, *flags: str | Path) -> Result:
        """Install what is in the cache, and try to change it."""
        return run("--cache=pip", *flags, py=INSTALL, env=self.env)


class Cache(Base):
    """What is fetched, and what becomes of it."""

    def test_what_was_fetched_once_needs_no_network(self) -> None:
        said = self.assert_status(self.fill("--image=host", "tablet"))
        self.assertEqual(said.out, f"added  {WHEEL}\n")
        self.assertEqual(self.wheels, {WHEEL: (self.shelf / WHEEL).read_bytes()})
        self.assertEqual(sorted(path.name for path in self.cache.iterdir()), ["lock", "wheels"])
        shutil.rmtree(self.shelf)
        self.assert_prints(INSTALLED.strip(), self.install())
        said = self.assert_status(run("--cache=pip", "--egress=none", py=INSTALL, env=self.env))
        self.assertTrue(said.out.startswith(f"{PLACE} None "), said.out)  # an index is tried as well
        said = run("--cache=pip", "-e", "PIP_FIND_LINKS=/mine", sh="echo $PIP_FIND_LINKS", env=self.env)
        self.assert_prints("/mine", said)

    def test_nothing_is_fetched_twice(self) -> None:
        self.assert_status(self.fill("--image=host", "tablet"))
        before = (self.cache / "wheels" / WHEEL).stat()
        said = self.assert_status(self.fill("--image=host", "tablet"))
        self.assertEqual(said.out, f"kept   {WHEEL}\n")
        after = (self.cache / "wheels" / WHEEL).stat()
        self.assertEqual((before.st_ino, before.st_mtime_ns), (after.st_ino, after.st_mtime_ns))

    def test_many_at_once(self) -> None:
        many = parallel(lambda _: self.assert_status(self.fill("--image=host", "tablet")).out, range(3))
        self.assertEqual(sorted(many), [f"added  {WHEEL}\n"] + 2 * [f"kept   {WHEEL}\n"])
        self.assertEqual(self.wheels, {WHEEL: (self.shelf / WHEEL).read_bytes()})

    def test_a_file_of_requirements(self) -> None:
        listed = self.folder / "a file: of, them"
        listed.write_text("tablet==1.0  # and no other\n")
        self.assert_status(self.fill("--image=host", "-r", listed))
        self.assertEqual(list(self.wheels), [WHEEL])

    def test_what_cannot_be_fetched_adds_nothing(self) -> None:
        said = self.fill("--image=host", "tablet", "no-such-thing")
        self.assert_status(said, 1)
        self.assertIn("no-such-thing", said.err)
        self.assertEqual(self.wheels, {})
        self.assertEqual(sorted(path.name for path in self.cache.iterdir()), ["lock", "wheels"])

    def test_source_is_not_taken(self) -> None:
        """To make a wheel of it would run what it says."""
        (self.shelf / WHEEL).rename(self.folder / WHEEL)
        shutil.make_archive(str(self.shelf / "tablet-1.0"), "gztar", self.folder, "shelf")
        said = self.fill("--image=host", "tablet")
        self.assert_status(said, 1)
        self.assertEqual(self.wheels, {})

    def test_ls_and_rm(self) -> None:
        self.assert_prints("", glovebox("cache", "ls", env=self.env))
        self.assert_refused(glovebox("cache", "rm", "--all", env=self.env), "there is no cache of wheels yet")
        self.assert_status(self.fill("--image=host", "tablet"))
        said = self.assert_status(glovebox("cache", "ls", env=self.env))
        size = (self.shelf / WHEEL).stat().st_size
        self.assertEqual(said.out.split(), [str(size), WHEEL])
        for words, why in (
            (["../lock"], "is not the name of a wheel"),
            (["other-1-py3-none-any.whl"], "remove other-1-py3-none-any.whl: No such file"),
            ([], "names of wheels, or --all"),
            (["--all", WHEEL], "names of wheels, or --all"),
        ):
            self.assert_refused(glovebox("cache", "rm", *words, env=self.env), why)
        self.assert_status(glovebox("cache", "rm", WHEEL, env=self.env))
        self.assertEqual(self.wheels, {})
        self.assert_status(self.fill("--image=host", "tablet"))
        self.assert_status(glovebox("cache", "rm", "--all", env=self.env))
        self.assertEqual(self.wheels, {})

    def test_refused(self) -> None:
        for words, why in (
            ((), "cache pip needs a requirement, or -r FILE"),
            (("--egress=pypi", "tablet"), "--from needs no network"),
            (("--", "--no-binary=:all:"), '"--no-binary=:all:" is not the name of a package'),
            (("--image=host", "-r", "/none"), "/none"),
            (("--image=host", "-r", self.file("list", "tablet\n-e .\n")), "line 2 of"),
            (("--image=host", "-r", self.file("bytes", b"tablet\n\0-e .\n")), "bytes is no text"),
            (("tablet @ file:///data/x.tar.gz",), "is not the name of a package"),
            (("--image=none-such", "tablet"), "none-such"),
        ):
            with self.subTest(words):
                self.assert_refused(self.fill(*words), why)
        said = run("--cache=pip", argv=["/bin/true"], env=self.env)
        self.assert_refused(said, f"--cache: there is no cache yet; glovebox cache pip NAME makes one, in {self.cache}/wheels")
        self.assert_refused(run("--cache=npm", argv=["/bin/true"], env=self.env), "--cache: ")


class Images(Base):
    """What an image's pip may do."""

    def setUp(self) -> None:
        """Make an image with a pip of ours."""
        super().setUp()
        place = Path(tempfile.mkdtemp(prefix="glovebox-", dir="/tmp"))
        self.addCleanup(shutil.rmtree, place)
        place.chmod(0o755)
        store = make_store(place, 0 if IS_ROOT else os.geteuid())
        give_pip(store)
        self.env["GLOVEBOX_IMAGES"] = str(store)
        self.tree = store / f"trees/{ID}"

    def test_a_strangers_files_are_not_taken(self) -> None:
        self.assert_status(self.fill("--image", NAME, "tablet"))
        before = self.wheels
        (self.tree / "rootfs" / str(PIP)[1:] / "__main__.py").write_text(HOSTILE)
        said = self.fill("--image", NAME, "--size=1m", "tablet")
        self.assert_status(said, 125)
        self.assertEqual(said.out, f"added  new-1.0-py3-none-any.whl\nkept   {WHEEL}\n")
        self.assertIn("are no wheels, or too much, and were not taken", said.err)
        self.assertNotIn("\x1b", said.err)
        self.assertEqual(self.wheels, before | {"new-1.0-py3-none-any.whl": b"hostile"})
        self.assertEqual(sorted(path.name for path in self.cache.iterdir()), ["lock", "wheels"])

    def test_an_imported_image_takes_a_word(self) -> None:
        document = json.loads((self.tree / "image.json").read_text())
        (self.tree / "image.json").write_text(json.dumps(document | {"recipe": None}))
        self.assert_refused(self.fill("--image", NAME, "tablet"), "small:latest was imported, and would choose")
        self.assertFalse(self.cache.exists())
        self.assert_status(self.fill("--image", NAME, "--trust-image", "tablet"))
        self.assertEqual(list(self.wheels), [WHEEL])
