"""`glovebox image save`: an image as one file, which comes back as the same image or not at all."""

import hashlib
import io
import json
import os
import pathlib
import pty
import shutil
import subprocess
import tarfile
import tempfile
import unittest

from test_image import PROGRAM, ImageTest, Tar, docker_save
from support.messages import message, named

LONG = "deep/" * 30 + "leaf" * 20
NAMES = ("plain", "run", "twin", "shadow", "link", "dangling", "empty", LONG, "d/\u00fc")


def content() -> bytes:
    """Return a layer with everything that an image may hold."""
    return (
        Tar()
        .file("plain", b"content of plain")
        .file("run", b"#!/bin/sh\n", mode=0o755)
        .hardlink("twin", "run")
        .file("etc/shadow", b"secret", mode=0o640)
        .symlink("link", "plain")
        .symlink("dangling", "/no/where")
        .dir("empty")
        .file(LONG, b"x" * 70000)
        .file("d/\u00fc", b"")
        .bytes()
    )


def layer_of(archive: bytes) -> list[tarfile.TarInfo]:
    """Return the entries of the one layer of an archive."""
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        (name,) = json.load(tar.extractfile("manifest.json"))[0]["Layers"]
        with tarfile.open(fileobj=tar.extractfile(name)) as layer:
            return layer.getmembers()


class Save(ImageTest):
    as_user = (
        "test_it_is_the_same_image_elsewhere",
        "test_what_nobody_may_read_and_names_of_whiteouts_come_back",
    )

    def setUp(self) -> None:
        super().setUp()
        config = {"Env": ["A=1"], "Cmd": ["sh"], "User": "7", "WorkingDir": "/d", "recipe": "x"}
        self.ok("import", "-", "x", stdin=docker_save([content()], config))
        self.id = self.document()["id"]

    def saved(self, *flags: str) -> bytes:
        return self.ok("save", *flags, "x").stdout

    def allow_leaks_of_libarchive(self) -> None:
        """It keeps its buffer where a write has failed (3.6), which make asan would say of us."""
        listed = self.dir / "leaks"
        listed.write_text("leak:libarchive.so\n")
        self.env["LSAN_OPTIONS"] = f"suppressions={listed}:print_suppressions=0"

    def elsewhere(self) -> None:
        """From here on there is another machine's store."""
        self.store = self.dir / "elsewhere"
        self.env["GLOVEBOX_IMAGES"] = str(self.store)

    def changed(self, archive: bytes, old: bytes, new: bytes) -> bytes:
        self.assertEqual((archive.count(old), len(old)), (1, len(new)))
        return archive.replace(old, new)

    def test_it_is_the_same_image_elsewhere(self) -> None:
        before = {p: os.lstat(self.root() / p) for p in self.paths(self.root())}
        archive = self.saved()
        self.elsewhere()
        self.ok("import", "-", stdin=archive)
        self.assertEqual(self.document()["id"], self.id)
        self.assertEqual(self.paths(self.root()), sorted(before))
        for path, old in before.items():
            new = os.lstat(self.root() / path)
            self.assertEqual((new.st_mode, new.st_size), (old.st_mode, old.st_size), path)
            if path in ("plain", "run", "twin"):
                self.assertEqual(new.st_mtime, 1600000000, path)
        self.assertTrue(os.path.samefile(self.root() / "run", self.root() / "twin"))
        self.assertIn(b"x:latest: ok", self.ok("verify").stdout)
        self.assertEqual(self.saved(), archive)

    @unittest.skipIf(os.geteuid(), "cannot: only root can be two users")
    def test_it_is_the_same_image_of_another_user(self) -> None:
        archive = self.saved()
        runners = pathlib.Path(tempfile.gettempdir())
        if not runners.stat().st_mode & 0o077:  # not /tmp
            runners.chmod(0o711)
        folder = pathlib.Path(tempfile.mkdtemp(prefix="glovebox-store-"))
        self.addCleanup(shutil.rmtree, folder)
        shutil.copy(PROGRAM, folder / "program")  # the path of the build may be closed to others
        os.chown(folder, 54321, 54322)
        env = {**self.env, "HOME": str(folder), "GLOVEBOX_IMAGES": str(folder / "images")}

        def image(*args: str, stdin: bytes = b"") -> bytes:
            done = subprocess.run(
                [str(folder / "program"), *args], input=stdin, capture_output=True, env=env, cwd=folder,
                user=54321, group=54322, extra_groups=[], umask=0o077,
            )  # fmt: skip
            self.assertEqual(done.returncode, 0, done.stderr.decode())
            return done.stdout

        image("import", "-", "--id", self.id, stdin=archive)
        self.assertEqual(image("verify"), b"x:latest: ok\n")
        back = image("save", "x")
        self.assertEqual(back, archive)
        self.elsewhere()
        self.ok("import", "-", "--id", self.id, stdin=back)

    def test_its_user_may_write_where_a_sandbox_may(self) -> None:
        """For other runtimes; an import gives the same tree all the same."""
        passwd = b"root:x:0:0::/root:\nann:x:1234:1235::/home/ann:\nodd:x:77:77::/:\n"
        tree = Tar().file("etc/passwd", passwd).file("home/ann/a", b"x").file("work/b", b"x").file("workshop", b"x")
        for path in ("tmp", "var/tmp", "run/lock", "opt"):
            tree.dir(path)
        for user, work, owned in (
            ("ann", "/work/", {"home/ann": 1235, "home/ann/a": 1235, "work": 1235, "work/b": 1235}),
            ("1234:9", "/", {"home/ann": 9, "home/ann/a": 9}),
            ("odd", "", {}),
            ("nobody-knows", "/work", {}),
            ("", "/work", {}),
        ):
            with self.subTest(user):
                self.ok("import", "-", "x", stdin=docker_save([tree.bytes()], {"User": user, "WorkingDir": work}))
                entries = layer_of(self.saved())
                self.assertEqual({e.name: e.gid for e in entries if e.uid or e.gid}, owned)
                modes = {e.name: e.mode for e in entries if e.isdir() and e.mode != 0o755}
                self.assertEqual(modes, dict.fromkeys(("tmp", "var/tmp", "run/lock"), 0o1777))

    def test_a_second_name_of_a_file_has_the_owner_of_the_first(self) -> None:
        """A runtime that unpacks gives the file the owner of the last name: one in the home is no way to a file of /etc."""
        passwd = b"ann:x:1234:1235::/home/ann:\n"
        tree = Tar().file("etc/passwd", passwd).file("etc/shadow", b"x", mode=0o600).dir("home/ann").hardlink("home/ann/mine", "etc/shadow")
        tree.file("home/ann/a", b"x").hardlink("home/ann/b", "home/ann/a")
        self.ok("import", "-", "x", stdin=docker_save([tree.bytes()], {"User": "ann"}))
        entries = {e.name: (e.islnk(), e.uid) for e in layer_of(self.saved())}
        self.assertEqual((entries["etc/shadow"], entries["home/ann/mine"]), ((False, 0), (True, 0)))
        self.assertEqual((entries["home/ann/a"], entries["home/ann/b"]), ((False, 1234), (True, 1234)))

    def test_what_nobody_may_read_and_names_of_whiteouts_come_back(self) -> None:
        odd = Tar().file("sudo", b"", mode=0o111).file("none", b"", mode=0).file(".wh.plain", b"")
        self.ok("import", "-", "x", stdin=odd.file("plain", b"").bytes())
        before = self.document()["id"], self.paths(self.root())
        archive = self.saved()
        self.elsewhere()
        self.ok("import", "-", stdin=archive)
        self.assertEqual((self.document()["id"], self.paths(self.root())), before)

    def test_the_name_of_the_file_says_how_it_is_compressed(self) -> None:
        beginnings = {"zst": b"\x28\xb5\x2f\xfd", "gz": b"\x1f\x8b", "tar": self.id[7:15].encode()}
        for suffix, magic in beginnings.items():
            path = self.dir / f"x.tar.{suffix}"
            self.assertEqual(self.saved("-o", str(path)), b"")
            first = path.read_bytes()
            self.saved("--output", str(path))
            self.assertEqual(path.read_bytes(), first)
            self.assertEqual(first[: len(magic)], magic)
        self.elsewhere()
        for suffix in beginnings:
            self.ok("import", str(self.dir / f"x.tar.{suffix}"), f"{suffix}:1", "--id", self.id)

    def test_a_name_that_promises_another_compression_is_refused(self) -> None:
        for suffix in ("xz", "bz2", "txz", "tzst"):
            path = self.dir / f"x.tar.{suffix}"
            self.refused("save", "x", "-o", str(path), says=message("save_check_name", path))
            self.assertFalse(path.exists())

    def test_a_dash_is_standard_output(self) -> None:
        self.assertEqual(self.saved("-o", "-"), self.saved())

    def test_docker_finds_what_it_expects(self) -> None:
        with tarfile.open(fileobj=io.BytesIO(self.saved())) as tar:
            files = {m.name: tar.extractfile(m).read() for m in tar}
        (image,) = json.loads(files["manifest.json"])
        self.assertEqual(image["RepoTags"], ["x:latest"])
        config = json.loads(files[image["Config"]])
        (layer,) = (files[name] for name in image["Layers"])
        digest = "sha256:" + hashlib.sha256(layer).hexdigest()
        self.assertEqual(config["rootfs"], {"type": "layers", "diff_ids": [digest]})
        self.assertEqual(
            {key: config["config"][key] for key in ("Env", "Cmd", "User", "WorkingDir")},
            {"Env": ["A=1"], "Cmd": ["sh"], "User": "7", "WorkingDir": "/d"},
        )
        members = {m.name.rstrip("/"): m for m in layer_of(self.saved())}
        self.assertLessEqual(set(NAMES) - {"shadow"}, members.keys())
        self.assertEqual(members["twin"].linkname, "run")
        self.assertEqual({(m.uid, m.gid) for m in members.values() if m.name[:2] != "d/" and m.name != "d"}, {(0, 0)})

    def test_a_changed_byte_is_refused(self) -> None:
        archive = self.saved()
        self.elsewhere()
        for old, new in ((b"content of plain", b"Content of plain"), (b'"A=1"', b'"A=2"')):
            bad = self.changed(archive, old, new)
            self.refused("import", "-", stdin=bad, says=message("finish_check_id"))
            self.assert_store_clean()
        cut = self.dir / "cut"
        cut.write_bytes(archive[:-20000])
        self.refused("import", str(cut))
        self.assert_store_clean()

    def test_any_changed_byte_of_a_compressed_archive_is_refused(self) -> None:
        path = self.dir / "x.tar.zst"
        self.saved("-o", str(path))
        whole = path.read_bytes()
        self.elsewhere()
        middle = range(4, len(whole) - 100, len(whole) // 40)
        for at in {*range(12), *middle, *range(len(whole) - 100, len(whole), 7)}:
            for bit in (0x01, 0x80):
                path.write_bytes(whole[:at] + bytes([whole[at] ^ bit]) + whole[at + 1 :])
                self.refused("import", str(path))
        self.assert_store_clean()
        for cut in (1, 87, 89, len(whole) // 2):
            path.write_bytes(whole[:-cut])
            self.refused("import", str(path))
        path.write_bytes(whole[:-88])
        self.refused("import", str(path), says=message("seal_require"))
        path.write_bytes(whole + b"\0")
        self.refused("import", str(path))
        self.assert_store_clean()
        self.ok("import", "-", "--id", self.id, stdin=whole)

    def test_an_archive_that_was_packed_anew_has_its_id(self) -> None:
        path = self.dir / "x.tar.zst"
        self.saved("-o", str(path))
        if not shutil.which("zstd"):
            self.skipTest("cannot: there is no zstd")
        plain = subprocess.run(["zstd", "-dc", str(path)], capture_output=True, check=True).stdout
        self.elsewhere()
        self.ok("import", "-", stdin=plain)
        self.assertEqual(self.document()["id"], self.id)
        self.refused("import", "-", stdin=self.changed(plain, b"content of", b"Content of"), says=message("finish_check_id"))

    def test_another_id_is_refused(self) -> None:
        archive = self.saved()
        self.elsewhere()
        other = self.id[:-1] + ("0" if self.id[-1] != "0" else "1")
        # Ids that differ at the end only are seen to differ.
        wrong = message("finish_check_id", self.id, other)
        self.refused("import", "-", "--id", other, stdin=archive, says=wrong)
        self.refused("import", "-", "--id", "sha256:12", stdin=archive, says='--id: "sha256:12" is not an id')
        self.assert_store_clean()
        # Who changes an archive can change the id in it; not the one that the user knows.
        honest = archive.replace(self.id.encode(), other.encode())
        self.refused("import", "-", "--id", self.id, stdin=honest.replace(b"content", b"Content"))
        self.assert_store_clean()
        self.ok("import", "-", "--id", self.id[7:], stdin=archive)

    def test_nothing_in_an_archive_vouches_for_it(self) -> None:
        archive = self.saved()
        self.elsewhere()
        self.ok("import", "-", stdin=archive)
        self.assertIsNone(self.document()["recipe"])

    def test_what_cannot_be_saved(self) -> None:
        self.refused("save", "host", says="own /usr")
        self.refused("save", "nosuch", says='no image "nosuch:latest"')
        self.refused("save", "-o", str(self.dir / "no/dir"), "x", says="no/dir")
        self.refused("save", says="usage")

    def test_a_terminal_and_a_full_disk(self) -> None:
        self.allow_leaks_of_libarchive()
        outer, inner = pty.openpty()
        self.addCleanup(os.close, outer)
        for path, says in ((os.ttyname(inner), message("save#terminal")), ("/dev/full", "No space")):
            with open(path, "wb") as out:
                done = subprocess.run(
                    [str(PROGRAM), "save", "x"], stdout=out, stderr=subprocess.PIPE, env=self.env
                )
            self.assertEqual(done.returncode, 125)
            self.assertRegex(done.stderr.decode(), named(says))
        os.close(inner)

    def test_a_failure_leaves_the_old_file(self) -> None:
        self.allow_leaks_of_libarchive()
        path = pathlib.Path(self.dir / "x.tar")
        path.write_bytes(b"old")
        (self.root() / "fifo").parent.chmod(0o755)
        os.mkfifo(self.root() / "fifo")
        self.refused("save", "x", "-o", str(path), says=message("pack_entry#link", "fifo"))
        self.assertEqual(path.read_bytes(), b"old")
        self.assertEqual([p.name for p in self.dir.glob(".glovebox-*")], [])


if __name__ == "__main__":
    unittest.main()
