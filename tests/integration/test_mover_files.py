"""The mover's verbs for single files (runtime/mover/files.h): what a face of a session asks for."""

import io
import os
import socket
import stat
import struct
import tarfile
import threading
import unittest
from pathlib import Path

from support.mover import CUT, FAILED, FINE, NOT_WANTED, TOO_LARGE, TOO_MANY, FilesCase, Said, pieces
from support.run import IS_ROOT

ENOENT, EACCES, ENOTDIR, EISDIR, ELOOP = 2, 13, 20, 21, 40


class Write(FilesCase):
    """write"""

    def test_there_and_back(self) -> None:
        for content in (b"", b"x", bytes(range(256)) * 4000):
            self.assertEqual(self.write("a/b/file", content).wrong, FINE)
            said = self.read("a/b/file")
            self.assertEqual((said.wrong, said.out, said.size, said.bytes, said.has_grown), (FINE, content, len(content), len(content), 0))
        self.assertEqual(stat.S_IMODE((self.inside / "a").stat().st_mode), 0o755)
        self.assertEqual(os.listdir(self.inside / "a/b"), ["file"])

    def test_names_of_any_bytes(self) -> None:
        for name in (b"\xff\n-rf", b'"', b" ", b"x" * 255, b"-rf"):
            self.assertEqual(self.write(name, name).wrong, FINE)
            self.assertEqual(self.read(name).out, name)

    def test_modes_without_more(self) -> None:
        self.assertEqual(self.write("f", b"", "7751").wrong, FINE)
        self.assertEqual(stat.S_IMODE((self.inside / "f").stat().st_mode), 0o751)

    def test_an_unfinished_content_leaves_the_old_file(self) -> None:
        self.write("f", b"old")
        whole = pieces(b"new" * 100_000)
        for stdin in (whole[:-4], whole[:-5], whole[:100], whole[:3], b"", struct.pack("=I", 1 << 20)):
            self.assertEqual(self.ask("write", "f", "0644", stdin=stdin).wrong, CUT)
            self.assertEqual(self.ask("write", "new/f", "0644", stdin=stdin).wrong, CUT)
        self.assertEqual((os.listdir(self.inside), self.read("f").out), (["f"], b"old"))

    def test_links_fifos_sockets_and_secrets_are_replaced(self) -> None:
        (self.inside / "link").symlink_to(self.outside / "kept")
        os.mkfifo(self.inside / "fifo")
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(str(self.inside / "socket"))
        (self.inside / "secret").touch(mode=0)
        os.link(self.inside / "secret", self.inside / "twin")
        for name in ("link", "fifo", "socket", "secret"):
            self.assertEqual(self.write(name, b"new").wrong, FINE)
            self.assertEqual((self.inside / name).read_text(), "new")
        self.assertEqual((self.inside / "twin").stat().st_size, 0)
        self.assertEqual(len(os.listdir(self.inside)), 5)

    def test_a_directory_is_not(self) -> None:
        (self.inside / "d").mkdir()
        self.assertEqual(self.write("d", b"x").failure, EISDIR)
        (self.inside / "f").touch()
        self.assertEqual(self.write("f/x", b"x").failure, ENOTDIR)
        self.assertEqual(sorted(os.listdir(self.inside)), ["d", "f"])


class Ways(FilesCase):
    """The way to a file."""

    def test_through_no_link(self) -> None:
        (self.inside / "out").symlink_to(self.outside)
        (self.inside / "up").symlink_to("..")
        (self.inside / "file").symlink_to(self.outside / "kept")
        for path in ("out/kept", "out/new", "up/outside/kept"):
            self.assertEqual(self.write(path, b"x").failure, ELOOP)
            self.assertEqual(self.read(path).failure, ELOOP)
            self.assertEqual(self.ask("remove", path).failure, ELOOP)
            self.assertEqual(self.list(path)[0].failure, ELOOP)
        said = self.read("file")
        self.assertEqual((said.wrong, stat.S_ISLNK(said.mode), said.out), (NOT_WANTED, True, b""))
        self.assertEqual(self.ask("archive", "out", "9", "9").failure, ENOTDIR)

    def test_what_is_missing(self) -> None:
        for said in (self.read("x"), self.read("x/y"), self.ask("remove", "x"), self.list("x")[0], self.ask("archive", "x", "9", "9")):
            self.assertEqual((said.failure, said.out), (ENOENT, b""))

    def test_that_is_none(self) -> None:
        for path in ("../outside/kept", "a/../../outside/kept"):
            for said in (self.read(path), self.write(path, b"x"), self.ask("remove", path), self.list(path)[0]):
                self.assertEqual(said.wrong, FAILED)

    def test_a_directory_that_becomes_a_link(self) -> None:
        """Whatever the way is at each moment, nothing outside is read, made or removed."""
        (self.inside / "way").mkdir()
        (self.inside / "way/kept").write_text("inside")
        (self.inside / "link").symlink_to(self.outside)
        over = threading.Event()

        def exchange() -> None:
            while not over.is_set():
                os.rename(self.inside / "way", self.inside / "aside")
                os.rename(self.inside / "link", self.inside / "way")
                os.rename(self.inside / "way", self.inside / "link")
                os.rename(self.inside / "aside", self.inside / "way")

        thread = threading.Thread(target=exchange)
        thread.start()
        try:
            for _ in range(60):
                self.assertIn(self.read("way/kept").out, (b"", b"inside"))
                self.write("way/kept", b"inside")
                self.assertNotIn(b"way/new", self.list()[1])
                self.ask("remove", "way/none")
        finally:
            over.set()
            thread.join()


class Read(FilesCase):
    """read"""

    def test_only_files(self) -> None:
        (self.inside / "d").mkdir()
        os.mkfifo(self.inside / "fifo")
        for name, kind in (("d", stat.S_ISDIR), ("fifo", stat.S_ISFIFO)):
            said = self.read(name)
            self.assertEqual((said.wrong, kind(said.mode)), (NOT_WANTED, True))

    def test_what_is_too_large_is_not_begun(self) -> None:
        os.truncate(os.open(self.inside / "giant", os.O_CREAT | os.O_WRONLY), 1 << 40)
        said = self.read("giant")
        self.assertEqual((said.wrong, said.size, said.out), (TOO_LARGE, 1 << 40, b""))
        self.write("f", b"12345")
        self.assertEqual((self.read("f", 5).wrong, self.read("f", 4).wrong), (FINE, TOO_LARGE))

    @unittest.skipIf(IS_ROOT, "cannot: root may read everything")
    def test_what_its_owner_may_not_read(self) -> None:
        (self.inside / "secret").touch(mode=0)
        self.assertEqual(self.read("secret").failure, EACCES)


class List(FilesCase):
    """list"""

    def test_level_by_level(self) -> None:
        for path in ("z", "a/y", "a/b/x", "a/b/c/w", "d/v"):
            self.write(path, b"123")
        said, entries, order = self.list()
        self.assertEqual([name.count(b"/") for name in order], [0, 0, 0, 1, 1, 1, 2, 2, 3])
        self.assertEqual((said.unread, said.is_cut, entries[b"a/b/c/w"][0], entries[b"z"][1]), (0, 0, 3, (self.inside / "z").stat().st_blocks * 512))
        self.assertEqual(set(self.list("a/b")[1]), {b"a/b/x", b"a/b/c", b"a/b/c/w"})
        self.assertEqual(self.list("z")[2], [b"z"])
        self.assertEqual(self.list("z/")[0].wrong, NOT_WANTED)
        self.assertEqual(self.list("a/")[0].wrong, FINE)

    def test_each_type_and_no_link_followed(self) -> None:
        (self.inside / "link").symlink_to(self.outside)
        os.mkfifo(self.inside / "fifo")
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(str(self.inside / "socket"))
        _, entries, _ = self.list()
        self.assertEqual(entries[b"link"][-1], os.fsencode(self.outside))
        self.assertEqual({name: stat.S_IFMT(entry[3]) for name, entry in entries.items()}, {b"link": stat.S_IFLNK, b"fifo": stat.S_IFIFO, b"socket": stat.S_IFSOCK})

    def test_bounds(self) -> None:
        for name in range(10):
            self.write(f"d/{name}", b"")
        for most, found, cut in ((11, 11, 0), (10, 10, 1), (1, 1, 1), (0, 0, 1)):
            said, entries, _ = self.list(most=most)
            self.assertEqual((len(entries), said.is_cut), (found, cut))
        said, entries, _ = self.list(depth=1)
        self.assertEqual((len(entries), said.is_cut), (1, 1))
        self.assertEqual(self.list("d", depth=1)[0].is_cut, 0)

    def test_names_that_are_longer_than_a_path(self) -> None:
        here = os.getcwd()
        try:
            os.chdir(self.inside)
            for _ in range(20):
                os.mkdir("d" * 250)
                os.chdir("d" * 250)
        finally:
            os.chdir(here)
        said, entries, _ = self.list()
        self.assertEqual((len(entries), said.is_cut), (16, 1))
        self.assertEqual(self.ask("remove", "d" * 250).wrong, FINE)
        self.assertEqual(os.listdir(self.inside), [])

    @unittest.skipIf(IS_ROOT, "cannot: root may read everything")
    def test_what_cannot_be_read_is_counted_once(self) -> None:
        for name in ("a/closed", "a/open/deep"):
            (self.inside / name).mkdir(parents=True)
        (self.inside / "a/closed").chmod(0)
        said, entries, _ = self.list()
        self.assertEqual((said.wrong, said.unread, len(entries)), (FINE, 1, 4))


class Remove(FilesCase):
    """remove"""

    def test_each_type(self) -> None:
        (self.inside / "link").symlink_to(self.outside)
        os.mkfifo(self.inside / "fifo")
        self.write("f", b"")
        (self.inside / "d").mkdir()
        for name in ("link", "fifo", "f", "d"):
            self.assertEqual(self.ask("remove", name).wrong, FINE)
        self.assertEqual(os.listdir(self.inside), [])

    def test_a_tree(self) -> None:
        self.write("t/a/b", b"")
        (self.inside / "t/link").symlink_to(self.outside)
        self.assertEqual(self.ask("remove", "t/a/b/").wrong, NOT_WANTED)
        self.assertEqual(self.ask("remove", "t/").wrong, FINE)
        self.assertEqual(os.listdir(self.inside), [])

    def test_a_tree_without_rights(self) -> None:
        self.write("t/a/b/c", b"")
        for name in ("t/a/b", "t/a", "t"):
            (self.inside / name).chmod(0)
        self.assertEqual(self.ask("remove", "t").wrong, FINE)
        self.assertEqual(os.listdir(self.inside), [])

    def test_however_deep(self) -> None:
        here = os.getcwd()
        try:
            os.chdir(self.inside)
            os.mkdir("t")
            os.chdir("t")
            Path(".glovebox-0000000000000001").touch()
            for _ in range(1500):
                os.mkdir("d")
                os.chdir("d")
        finally:
            os.chdir(here)
        self.assertEqual(self.list(depth=64)[0].is_cut, 1)
        self.assertEqual(self.ask("remove", "t").wrong, FINE)
        self.assertEqual(os.listdir(self.inside), [])


class Archive(FilesCase):
    """archive"""

    def archive(self, path: str = "", most: int = 1 << 30, entries: int = 10_000) -> Said:
        """Ask for all of it."""
        return self.ask("archive", path, str(most), str(entries))

    def test_links_last_and_each_name_a_file(self) -> None:
        self.write("a/b", b"x" * 100_000)
        self.write("c", b"1", "0751")
        os.link(self.inside / "c", self.inside / "twin")
        (self.inside / "a/0").symlink_to("/etc/passwd")
        said = self.archive()
        with tarfile.open(fileobj=io.BytesIO(said.out), errorlevel=2) as tar:
            self.assertEqual(sorted(tar.getnames()), ["a", "a/0", "a/b", "c", "twin"])
            self.assertEqual((tar.getnames()[-1], tar.getmember("twin").isreg(), tar.getmember("c").mode), ("a/0", True, 0o751))
        self.assertEqual((said.wrong, said.unread, said.entries), (FINE, 0, 5))
        with tarfile.open(fileobj=io.BytesIO(self.archive("a").out)) as tar:
            self.assertEqual(sorted(tar.getnames()), ["a/0", "a/b"])

    def test_bounds(self) -> None:
        self.write("d/a", b"12345")
        os.truncate(os.open(self.inside / "hole", os.O_CREAT | os.O_WRONLY), 10)
        self.assertEqual((self.archive(most=15).wrong, self.archive(entries=3).wrong), (FINE, FINE))
        said = self.archive(most=14)
        self.assertEqual((said.wrong, said.path in (b"hole", b"d/a")), (TOO_LARGE, True))
        self.assertEqual(self.archive(entries=2).wrong, TOO_MANY)

    def test_what_has_no_place_in_it_is_counted(self) -> None:
        os.mkfifo(self.inside / "fifo")
        self.write("f", b"")
        said = self.archive()
        self.assertEqual((said.wrong, said.unread), (FINE, 1))
