"""mover watch and mover usage (runtime/mover/files.h): what changes in a directory, and how much it takes."""

import contextlib
import ctypes
import os
import struct
import subprocess
import threading
import unittest
from collections.abc import Callable

from support.mover import FAILED, FINE, LOST, MOVER, NOT_WANTED, SAID, TOO_MANY, FilesCase, Said
from support.run import IS_ROOT
from support.times import DEADLINE

CHANGE = struct.Struct("=IHH")
WATCHED, CREATED, WRITTEN, REMOVED, MOVED, MODE = range(6)
ENOENT, EACCES, ELOOP = 2, 13, 40
Change = tuple[int, bool, bytes]


class Watcher:
    """A mover that watches."""

    def __init__(self, case: FilesCase, path: str | bytes, deep: bool) -> None:
        """Start it."""
        command = [MOVER, "watch", case.inside, path, "1" if deep else "0"]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        case.addCleanup(self.stop)
        assert self.process.stdout and self.process.stderr
        self.out, self.err = self.process.stdout, self.process.stderr

    def stop(self) -> None:
        """End it."""
        self.process.kill()
        self.process.communicate(timeout=DEADLINE)

    def next(self) -> Change | None:
        """Wait for one change; None: it has ended."""
        head = self.out.read(CHANGE.size)
        if not head:
            return None
        kind, is_directory, length = CHANGE.unpack(head)
        return kind, bool(is_directory), self.out.read(length)

    def until(self, last: Change) -> list[Change]:
        """Return all changes up to one."""
        seen = []
        while (change := self.next()) is not None:
            seen.append(change)
            if change == last:
                return seen
        raise AssertionError((last, seen))

    def said(self) -> Said:
        """Wait for its end."""
        while self.next() is not None:
            pass
        said = Said(*SAID.unpack(self.err.read()))
        self.process.wait(timeout=DEADLINE)
        return said


class WatchCase(FilesCase):
    """A test that watches the directory."""

    def watch(self, path: str | bytes = b"", deep: bool = False) -> Watcher:
        """Watch, from now on."""
        watcher = Watcher(self, path, deep)
        self.assertEqual(watcher.next(), (WATCHED, True, b""))
        return watcher

    def refused(self, path: str | bytes, deep: bool = False) -> Said:
        """Return why it cannot be watched."""
        return Watcher(self, path, deep).said()

    def sees(self, act: Callable[[], object], *changes: Change, deep: bool = False) -> None:
        """These changes are told of an act, in this order; of others nothing is said."""
        watcher = self.watch(deep=deep)
        act()
        end = self.inside / "end"
        end.mkdir()
        seen = watcher.until((CREATED, True, b"end"))[:-1]
        watcher.stop()
        end.rmdir()
        self.assertEqual([change for i, change in enumerate(seen) if change not in seen[i - 1 : i]], list(changes))  # one may be told twice


class One(WatchCase):
    """One directory."""

    def test_what_happens_to_a_file(self) -> None:
        file = self.inside / "f"
        self.sees(lambda: file.write_text("x"), (CREATED, False, b"f"), (WRITTEN, False, b"f"))
        self.sees(lambda: file.chmod(0o600), (MODE, False, b"f"))
        self.sees(lambda: file.rename(self.inside / "g"), (MOVED, False, b"f"), (CREATED, False, b"g"))
        self.sees((self.inside / "g").unlink, (REMOVED, False, b"g"))

    def test_what_happens_to_a_directory_and_not_what_happens_in_it(self) -> None:
        self.sees((self.inside / "d").mkdir, (CREATED, True, b"d"))
        self.sees((self.inside / "d/f").touch)
        self.sees(lambda: self.inside.chmod(0o711), (MODE, True, b""))

    def test_of_links_only_themselves(self) -> None:
        self.sees(lambda: (self.inside / "l").symlink_to(self.outside), (CREATED, False, b"l"))
        self.sees(lambda: os.utime(self.outside), deep=True)

    def test_files_without_a_name_are_not_told_of(self) -> None:
        def write() -> None:
            fd = os.open(self.inside, os.O_TMPFILE | os.O_WRONLY)
            os.write(fd, b"x")
            os.fchmod(fd, 0o600)
            ctypes.CDLL(None).linkat(-100, f"/proc/self/fd/{fd}".encode(), -100, os.fsencode(self.inside / "f"), 0x400)
            os.close(fd)

        self.sees(write, (CREATED, False, b"f"), (WRITTEN, False, b"f"))

    def test_what_mover_writes(self) -> None:
        for _ in range(2):  # made, and replaced
            self.sees(lambda: self.write("f", b"x"), (CREATED, False, b"f"), (WRITTEN, False, b"f"))

    def test_names_that_look_like_those(self) -> None:
        self.sees(lambda: (self.inside / "#7").write_text("x"), (CREATED, False, b"#7"), (WRITTEN, False, b"#7"))

    def test_the_time_of_a_directory(self) -> None:
        (self.inside / "d").mkdir()
        self.sees(lambda: os.utime(self.inside / "d"), (MODE, True, b"d"))

    def test_names_of_any_bytes(self) -> None:
        for name in (b"\xff\n", b"x" * 255, b"-"):
            self.sees(lambda at=os.fsencode(self.inside) + b"/" + name: os.close(os.open(at, os.O_CREAT)), (CREATED, False, name))

    def test_its_end(self) -> None:
        for deep in (False, True):
            for end, kind in ((lambda at: at.rmdir(), REMOVED), (lambda at: at.rename(self.folder / "away"), MOVED)):
                (self.inside / "d").mkdir()
                watcher = self.watch("d", deep)
                end(self.inside / "d")
                watcher.until((kind, True, b""))
                self.assertEqual(watcher.said().failure, ENOENT)
                if (self.folder / "away").exists():
                    (self.folder / "away").rmdir()

    def test_that_nobody_reads_ends_it(self) -> None:
        watcher = self.watch()
        watcher.out.close()
        self.assertEqual(watcher.process.wait(timeout=DEADLINE), 0)

    def test_what_cannot_be_watched(self) -> None:
        (self.inside / "f").touch()
        (self.inside / "l").symlink_to(self.outside)
        self.assertEqual(self.refused("none").failure, ENOENT)
        self.assertEqual(self.refused("f").wrong, NOT_WANTED)
        self.assertEqual(self.refused("l").wrong, NOT_WANTED)
        self.assertEqual(self.refused("l/kept").failure, ELOOP)

    @unittest.skipIf(IS_ROOT, "cannot: root may read each directory")
    def test_what_may_not_be_read(self) -> None:
        (self.inside / "d").mkdir(mode=0)
        self.assertEqual(self.refused("d").failure, EACCES)

    def test_a_directory_that_becomes_another_thing_at_that_moment(self) -> None:
        """It is watched, or the answer says why not: it neither dies nor watches nothing."""
        (self.inside / "d").mkdir()
        (self.inside / "f").touch()
        rename = ctypes.CDLL(None, use_errno=True).renameat2
        ends = threading.Event()

        def swap() -> None:
            while not ends.is_set():
                rename(-100, os.fsencode(self.inside / "d"), -100, os.fsencode(self.inside / "f"), 2)

        with contextlib.ExitStack() as stack:
            thread = threading.Thread(target=swap)
            thread.start()
            stack.callback(thread.join)
            stack.callback(ends.set)
            for i in range(300):
                watcher = Watcher(self, "d", deep=bool(i % 2))
                if watcher.next():
                    self.assertEqual(watcher.said().failure, ENOENT)  # it is moved again and again
                else:
                    self.assertIn(watcher.said().wrong, (FAILED, NOT_WANTED))
                watcher.stop()

    def test_lost_changes_end_it(self) -> None:
        watcher = self.watch()
        names = [self.inside / "a", self.inside / "b"]
        for name in names:
            name.touch()
        # The pipe and the queue of the kernel (fs.inotify.max_queued_events) are full, as nobody reads.
        for i in range(40_000):
            os.utime(names[i % 2])
        self.assertEqual(watcher.said().wrong, LOST)


class Deep(WatchCase):
    """A directory and all below it."""

    def test_what_is_there_already(self) -> None:
        (self.inside / "a/b").mkdir(parents=True)
        self.sees((self.inside / "a/b/f").touch, (CREATED, False, b"a/b/f"), deep=True)
        self.sees((self.inside / "a/b/f").unlink, (REMOVED, False, b"a/b/f"), deep=True)

    def test_what_appears(self) -> None:
        watcher = self.watch(deep=True)
        (self.inside / "a/b/c").mkdir(parents=True)
        (self.inside / "a/b/c/f").write_text("x")
        watcher.until((CREATED, False, b"a/b/c/f"))
        (self.inside / "a/b/g").touch()
        watcher.until((CREATED, False, b"a/b/g"))

    def test_a_tree_that_moves_has_its_new_names(self) -> None:
        (self.inside / "a/b/c").mkdir(parents=True)
        watcher = self.watch(deep=True)
        (self.inside / "a").rename(self.inside / "z")
        self.assertIn((MOVED, True, b"a"), watcher.until((CREATED, True, b"z/b/c")))
        (self.inside / "z/b/c/f").touch()
        watcher.until((CREATED, False, b"z/b/c/f"))
        (self.inside / "z").rename(self.folder / "away")
        (self.folder / "away/b/c/unseen").touch()
        (self.inside / "f").touch()
        self.assertEqual(watcher.until((CREATED, False, b"f")), [(MOVED, True, b"z"), (CREATED, False, b"f")])

    def test_a_tree_that_goes_and_comes_again(self) -> None:
        watcher = self.watch(deep=True)
        for i in range(50):
            (self.inside / "a/b").mkdir(parents=True)
            (self.inside / f"a/b/{i}").touch()
            watcher.until((CREATED, False, f"a/b/{i}".encode()))
            subprocess.run(["rm", "-r", self.inside / "a"], check=True)
            watcher.until((REMOVED, True, b"a"))

    def test_names_that_are_swapped_all_the_time(self) -> None:
        """Whatever a program moves where, the watcher goes on, and tells the truth once it rests."""
        watcher = self.watch(deep=True)
        for name in ("a/x", "b/x"):
            (self.inside / name).mkdir(parents=True)
        for _ in range(300):
            for old, new in (("a/x", "t"), ("b", "a/x"), ("t", "b"), ("a/x", "c"), ("b", "a/x"), ("c", "b")):
                (self.inside / old).rename(self.inside / new)
        for place in [p for p in self.inside.rglob("*") if p.is_dir()]:
            (place / "last").touch()
            watcher.until((CREATED, False, os.fsencode((place / "last").relative_to(self.inside))))

    def test_no_links(self) -> None:
        (self.inside / "l").symlink_to(self.outside)
        self.sees(lambda: os.utime(self.outside / "kept"), deep=True)

    @unittest.skipIf(IS_ROOT, "cannot: root may read each directory")
    def test_what_may_not_be_read_is_passed_over(self) -> None:
        for mode in (0, 0o400, 0o300):
            (self.inside / oct(mode)).mkdir(mode=mode)
        self.sees((self.inside / "f").touch, (CREATED, False, b"f"), deep=True)

    def test_deeper_than_it_can(self) -> None:
        os.chdir(self.inside)
        for _ in range(300):
            os.mkdir("d")
            os.chdir("d")
        os.chdir("/")
        self.assertEqual(self.refused("", deep=True).wrong, TOO_MANY)

    def test_more_directories_than_it_can(self) -> None:
        for i in range(4096):
            (self.inside / str(i)).mkdir()
        self.assertEqual(self.refused("", deep=True).wrong, TOO_MANY)
        (self.inside / "0").rmdir()
        watcher = self.watch(deep=True)
        (self.inside / "0").mkdir()
        watcher.until((CREATED, True, b"0"))
        (self.inside / "more").mkdir()
        self.assertEqual(watcher.said().wrong, TOO_MANY)


class Usage(FilesCase):
    """mover usage"""

    def usage(self, path: str = "", most: int = 1000) -> Said:
        """Ask for it."""
        return self.ask("usage", path, str(most))

    def test_files_count_once(self) -> None:
        (self.inside / "a/b").mkdir(parents=True)
        (self.inside / "a/f").write_bytes(bytes(10_000))
        os.link(self.inside / "a/f", self.inside / "a/b/g")
        (self.inside / "a/b/l").symlink_to("/")
        with (self.inside / "hole").open("wb") as hole:
            hole.truncate(1 << 30)
        said = self.usage()
        self.assertEqual((said.wrong, said.entries, said.size, said.unread), (FINE, 7, 10_000 + (1 << 30), 0))
        du = subprocess.run(["du", "-s", "--block-size=1", self.inside], capture_output=True, check=True)
        self.assertEqual(said.bytes, int(du.stdout.split()[0]))
        self.assertEqual([self.usage("a/f").entries, self.usage("a/f").size], [1, 10_000])

    def test_bounds_and_errors(self) -> None:
        for i in range(20):
            (self.inside / str(i)).touch()
        self.assertEqual([self.usage(most=20).wrong, self.usage(most=21).wrong], [TOO_MANY, FINE])
        (self.inside / "l").symlink_to(self.outside)
        self.assertEqual([self.usage("none").failure, self.usage("l/kept").failure], [ENOENT, ELOOP])
        self.assertEqual([self.usage("0/").wrong, self.usage("l").size], [NOT_WANTED, 0])
        self.assertEqual(FAILED, self.usage("none").wrong)

    def test_depths(self) -> None:
        os.chdir(self.inside)
        for _ in range(400):
            os.mkdir("d")
            os.chdir("d")
        os.chdir("/")
        said = self.usage()
        self.assertEqual((said.wrong, said.unread), (FINE, 1))

    @unittest.skipIf(IS_ROOT, "cannot: root may read each directory")
    def test_what_may_not_be_read(self) -> None:
        (self.inside / "d").mkdir(mode=0)
        self.assertEqual((self.usage().wrong, self.usage().unread), (FINE, 1))


if __name__ == "__main__":
    unittest.main()
