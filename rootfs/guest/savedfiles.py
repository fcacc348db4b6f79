"""savedfiles - what is below a directory, kept in memory and put back.

Directories, regular files without their holes, hard links, symbolic links and pipes, with modes and
times. Sockets belong to who listens on them: they stay where they are or are not there. What is
mounted below is left alone (treewalk.py).

What still is the same file is written in place, so that descriptors and mappings of it hold.

Like display.py this runs beside foreign code, and binds what it uses before that comes.
"""

from __future__ import annotations

import builtins

__builtins__ = dict(vars(builtins))  # of the functions below; from here on nobody else's

from collections.abc import Callable, Iterator
from os import (
    O_CLOEXEC,
    O_CREAT,
    O_NOFOLLOW,
    O_NONBLOCK,
    O_RDONLY,
    O_WRONLY,
    SEEK_DATA,
    SEEK_HOLE,
    chmod,
    close,
    fchmod,
    fstat,
    ftruncate,
    geteuid,
    listdir,
    lseek,
    lstat,
    mkdir,
    mkfifo,
    pread,
    pwrite,
    readlink,
    stat,
    stat_result,
    symlink,
    truncate,
    unlink,
    utime,
)
from os import link as link_file
from os import open as open_file
from stat import S_IFMT, S_IMODE, S_ISDIR, S_ISFIFO, S_ISLNK, S_ISREG

from treewalk import Moved, Walk, identity, walk

LOOK = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
WRITE = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC


class Entry:
    """One thing in a directory, as it was."""

    __slots__ = ("first", "name", "names", "parts", "status", "target")

    def __init__(self, name: str, status: stat_result) -> None:
        self.name = name
        self.status = status
        self.names: set[str] = set()  # of a directory
        self.parts: list[tuple[int, bytes]] = []  # of a regular file
        self.target = ""  # of a symbolic link
        self.first = ""  # of a hard link: the path of the one that was seen first

    @property
    def is_folder(self) -> bool:
        """Whether it is a directory."""
        return S_ISDIR(self.status.st_mode)


class Tree:
    """What is below a directory, in memory."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.top = Entry("", stat(root))
        self.entries: list[Entry | None] = []  # in the order of the walk; None: a directory ends
        self._seen: dict[int, tuple[str, list[tuple[int, bytes]]]] = {}  # with several names
        with walk(root) as place:
            self._save(place)
        if self.top.status.st_mode & 0o700 != 0o700:
            chmod(root, S_IMODE(self.top.status.st_mode))

    @property
    def device(self) -> int:
        """The file system that it was in."""
        return self.top.status.st_dev

    # -- saving

    def _save(self, place: Walk) -> None:
        """Read everything. What vanishes meanwhile is not there."""
        folders = [self.top]
        todo = [listdir(".")]
        while folders:
            if not todo[-1]:
                self._save_end(place, folders.pop())
                todo.pop()
                continue
            name = todo[-1].pop()
            try:
                entry = self._look(place, name)
            except (FileNotFoundError, NotADirectoryError):
                continue
            if entry is None:
                continue
            folders[-1].names.add(name)
            self.entries.append(entry)
            if entry.is_folder:
                folders.append(entry)
                todo.append(listdir("."))

    def _save_end(self, place: Walk, folder: Entry) -> None:
        if folder is self.top:
            return
        place.leave()
        self.entries.append(None)
        if folder.status.st_mode & 0o700 != 0o700:
            chmod(folder.name, S_IMODE(folder.status.st_mode))

    def _look(self, place: Walk, name: str) -> Entry | None:
        """Return an entry; go into a directory. None for what is no part of the tree."""
        entry = Entry(name, lstat(name))
        mode = entry.status.st_mode
        if place.is_elsewhere(entry.status):
            return None
        if S_ISDIR(mode):
            place.enter(name, entry.status)
        elif S_ISLNK(mode):
            entry.target = readlink(name)
        elif S_ISREG(mode):
            self._look_at_file(place, entry)
        return entry

    def _look_at_file(self, place: Walk, entry: Entry) -> None:
        number = entry.status.st_ino
        if number in self._seen:
            entry.first, entry.parts = self._seen[number]
            return
        entry.parts = read_parts(entry)
        if entry.status.st_nlink > 1:
            self._seen[number] = place.path(entry.name), entry.parts

    # -- putting back

    def restore(self) -> list[str]:
        """Put everything back as it was; return what could not be, and why.

        First all that is too much goes: else there might be no room for the rest.
        """
        problems: list[str] = []
        try:
            with walk(self.root) as place:
                self._play(place, self._clear, problems)
                self._play(place, self._fill, problems)
            if self.top.status.st_uid == geteuid():
                settle(self.root, self.top.status)
        except (OSError, Moved) as error:
            problems.append(str(error))
        return problems

    def _play(self, place: Walk, step: Callable[[Walk, Entry], None], problems: list[str]) -> None:
        """Do one thing at every entry, in its directory."""
        step(place, self.top)
        folders: list[Entry] = []
        beyond = 0  # levels at and below a directory that cannot be entered
        for entry in self.entries:
            try:
                if beyond:
                    beyond += -1 if entry is None else entry.is_folder
                elif entry is None:
                    settle(place.leave(), folders.pop().status)
                else:
                    beyond = int(entry.is_folder)
                    if entry.is_folder:
                        enter_or_make(place, entry.name)
                        folders.append(entry)
                    beyond = 0
                    step(place, entry)
            except OSError as error:
                problems.append(str(error))

    def _clear(self, place: Walk, entry: Entry) -> None:
        """Remove what was not there or is another one by now; empty what will be written."""
        if entry.is_folder:
            for name in set(listdir(".")) - entry.names:
                place.remove(name)
            return
        now = place.look(entry.name)
        if now is None:
            return
        same = identity(now) == identity(entry.status)
        if not same or S_IFMT(now.st_mode) != S_IFMT(entry.status.st_mode) or not empty(entry):
            place.remove(entry.name)

    def _fill(self, place: Walk, entry: Entry) -> None:
        mode = entry.status.st_mode
        if S_ISREG(mode):
            if not (entry.first and self._link(entry)):
                write_parts(entry)
        elif S_ISLNK(mode) and place.look(entry.name) is None:
            symlink(entry.target, entry.name)
        elif S_ISFIFO(mode) and place.look(entry.name) is None:
            mkfifo(entry.name)
        if not entry.is_folder and place.look(entry.name) is not None:
            settle(entry.name, entry.status)

    def _link(self, entry: Entry) -> bool:
        """Have one more name for a file that is back already; whether that can be."""
        try:
            wanted = identity(lstat(entry.first))
            try:
                if identity(lstat(entry.name)) == wanted:
                    return True
                unlink(entry.name)
            except FileNotFoundError:
                pass
            link_file(entry.first, entry.name, follow_symlinks=False)
        except OSError:
            return False  # a path too long: then it is a file of its own
        return True


def enter_or_make(place: Walk, name: str) -> None:
    """Have a directory of that name, and go into it."""
    now = place.look(name)
    if now is not None and not S_ISDIR(now.st_mode):
        place.remove(name)
        now = None
    if now is None:
        mkdir(name, 0o700)
        now = lstat(name)
    place.enter(name, now)


def empty(entry: Entry) -> bool:
    """Make room in what is still the same; whether it can be written in place."""
    if not S_ISREG(entry.status.st_mode):
        return True
    try:
        chmod(entry.name, 0o600)
        truncate(entry.name, 0)
    except OSError:
        return False
    return True


def settle(name: str, status: stat_result) -> None:
    """Give the mode and the times that it had."""
    if not S_ISLNK(status.st_mode):
        chmod(name, S_IMODE(status.st_mode))
    utime(name, ns=(status.st_atime_ns, status.st_mtime_ns), follow_symlinks=False)


def read_parts(entry: Entry) -> list[tuple[int, bytes]]:
    """Return the content of a file, hole by hole."""
    fd = open_readable(entry)
    try:
        return list(parts_of(fd, fstat(fd).st_size))
    finally:
        close(fd)


def open_readable(entry: Entry) -> int:
    """Open a file of ours that we perhaps may not read."""
    try:
        return open_file(entry.name, LOOK)
    except PermissionError:
        mode = S_IMODE(entry.status.st_mode)
        chmod(entry.name, mode | 0o400)
        fd = open_file(entry.name, LOOK)
        fchmod(fd, mode)
        return fd


def parts_of(fd: int, size: int) -> Iterator[tuple[int, bytes]]:
    """Yield what lies between the holes."""
    at = 0
    while at < size:
        try:
            start = lseek(fd, at, SEEK_DATA)
            at = lseek(fd, start, SEEK_HOLE)
        except OSError:
            return  # nothing but a hole follows
        while start < at:
            part = pread(fd, at - start, start)
            if not part:
                return  # it was cut meanwhile
            yield start, part
            start += len(part)


def write_parts(entry: Entry) -> None:
    """Write a file, with its holes."""
    fd = open_file(entry.name, WRITE, 0o600)
    try:
        ftruncate(fd, entry.status.st_size)
        for start, part in entry.parts:
            left = memoryview(part)
            while left:
                done = pwrite(fd, left, start)
                left = left[done:]
                start += done
    finally:
        close(fd)
