"""What strangers choose, file names above all, and what of it reaches a terminal."""

import io
import json
import shutil
import tarfile
from pathlib import Path

from support.case import Case
from support.hostile_names import HOSTILE, UNFIT
from support.run import Result, glovebox, run, unique


class Strangers(Case):
    """A test that looks at every byte."""

    def assert_fit(self, printed: bytes) -> None:
        """Assert that a terminal may get it."""
        found = UNFIT.search(printed.decode())  # and it is UTF-8
        self.assertIsNone(found, printed)

    def assert_shown(self, result: Result) -> None:
        """Assert that stderr names them all, and harmlessly."""
        self.assert_fit(result.stderr)
        for shown in HOSTILE.values():
            self.assertIn(shown, result.stderr)


class Output(Strangers):
    """What is in /output."""

    def out(self) -> Path:
        """Return a directory to collect in."""
        return self.folder / unique("out")

    def leave(self, names: list[bytes], *flags: str) -> Result:
        """Run a program that leaves links of these names, which are not collected."""
        script = f"import os\nfor n in {names!r}: os.symlink('/etc/passwd', b'/output/' + n)"
        return run("--output", str(self.out()), *flags, py=script)

    def test_files_that_are_refused(self) -> None:
        names = list(HOSTILE)
        half = len(names) // 2  # ten are named at most
        first, second = self.leave(names[:half]), self.leave(names[half:])
        self.assert_shown(Result(0, b"", first.stderr + second.stderr))

    def test_json_is_ascii(self) -> None:
        names = list(HOSTILE)
        script = f"for n in {names!r}: open(b'/output/' + n, 'w').close()"
        result = run("--output", str(self.out()), "--json", py=script)
        self.assertTrue(result.stdout.isascii(), result.stdout)
        self.assert_fit(result.stdout)
        listed = {one["path"] for one in json.loads(result.stdout)["files"]}
        valid = {name.decode() for name in names if b"\x9b31m" != name and b"\xff\xfe" != name}
        self.assertLessEqual(valid, listed)

    def test_what_a_program_prints_stays_as_it_is(self) -> None:
        said = b"\x1b[31m \xc2\x9b \x9b \xe2\x80\xae"
        result = run(py=f"import os; os.write(1, {said!r}); os.write(2, {said!r})")
        self.assertEqual((result.stdout, result.stderr), (said, said))


class Messages(Strangers):
    """Errors, and what is printed before a run."""

    def test_errors_about_arguments(self) -> None:
        for name, shown in HOSTILE.items():
            for args in (["run", "--no" + name.decode(errors="surrogateescape"), "host"],
                         ["run", name.decode(errors="surrogateescape"), "true"],
                         ["image", "inspect", name.decode(errors="surrogateescape")],
                         ["image", name.decode(errors="surrogateescape")],
                         ["images", name.decode(errors="surrogateescape")],
                         ["pull", name.decode(errors="surrogateescape")],
                         [name.decode(errors="surrogateescape")]):
                with self.subTest(args=args):
                    result = glovebox(*args)
                    self.assert_fit(result.stderr)
                    self.assertIn(shown, result.stderr)

    def test_explain(self) -> None:
        for name, shown in HOSTILE.items():
            text = name.decode(errors="surrogateescape")
            result = run("--explain", "-e", f"V={text}", argv=["/bin/echo", text])
            self.assert_status(result)
            self.assert_fit(result.stdout)
            self.assertEqual(result.stdout.count(shown), 2, result.stdout)

    def test_command_that_is_not_there(self) -> None:
        for name, shown in HOSTILE.items():
            result = run(argv=["./" + name.decode(errors="surrogateescape")])
            self.assert_fit(result.stderr)
            self.assertIn(shown, result.stderr)


class Archives(Strangers):
    """An image of somebody else's."""

    def setUp(self) -> None:
        super().setUp()
        self.store = self.folder / "images"
        self.store.mkdir(mode=0o755)

    def image(self, *args: str | Path, **options: object) -> Result:
        """Run `glovebox image` on a store of our own."""
        return glovebox("image", *args, env={"GLOVEBOX_IMAGES": str(self.store)}, **options)

    def archive(self, names: list[str]) -> Path:
        """Return a tar with files, and links to outside, of these names."""
        path = self.folder / "root.tar"
        with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as tar:
            for name in names:
                entry = tarfile.TarInfo(f"usr/{name}")
                entry.size = 1
                tar.addfile(entry, io.BytesIO(b"x"))
                device = tarfile.TarInfo(f"dev/{name}")
                device.type = tarfile.CHRTYPE
                tar.addfile(device)
        return path

    def test_import_and_verify(self) -> None:
        names = [name.decode() for name in HOSTILE if b"\x9b31m" != name and b"\xff\xfe" != name]
        result = self.image("import", self.archive(names), "foreign")
        self.assert_status(result)
        self.assert_fit(result.stdout + result.stderr)
        self.assertIn(rb"\u202egnp.py", result.stderr)
        for root in self.store.glob("trees/*/rootfs/usr"):
            shutil.rmtree(root)
        self.assert_fit(self.image("verify").stdout)

    def test_listing_of_a_document_that_is_hostile(self) -> None:
        self.assert_status(self.image("import", self.archive(["a"]), "foreign"))
        (document,) = self.store.glob("trees/*/image.json")
        text = json.loads(document.read_text())
        for name in HOSTILE:
            value = name.decode(errors="replace")
            hostile = text | {"id": value, "created": value, "arch": value}
            document.unlink()
            document.write_text(json.dumps(hostile, ensure_ascii=False))
            env = {"GLOVEBOX_IMAGES": str(self.store)}
            for args in (["images"], ["images", "-q"], ["image", "ls"], ["image", "ls", "--json"],
                         ["image", "inspect", "foreign"], ["image", "verify"],
                         ["image", "inspect", "-f", "{{.Id}} {{.Created}}", "foreign"]):
                with self.subTest(args=args, value=value):
                    result = glovebox(*args, env=env)
                    self.assert_fit(result.stdout + result.stderr)

    def test_a_file_beside_the_tags_is_no_image(self) -> None:
        self.assert_status(self.image("import", self.archive(["a"]), "foreign"))
        (tag,) = self.store.glob("tags/*")
        for name in ("x\u202e:latest", "no-tag"):
            (tag.parent / name).symlink_to(tag.readlink())
        env = {"GLOVEBOX_IMAGES": str(self.store)}
        for args in (["images"], ["image", "ls"]):
            result = self.assert_status(glovebox(*args, env=env))
            self.assert_fit(result.stdout)
            self.assertEqual(result.out.count("foreign"), 1)
            self.assertNotIn("no-tag", result.out)
