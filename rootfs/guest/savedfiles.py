"""savedfiles - everything below a directory, kept in memory and restored.

Directories, regular files without their holes, hard links, symbolic links and pipes, with modes and
times. Sockets belong to the process that listens: they stay where they are, or are missing. What is
mounted below is left alone (treewalk.py).

A file that is still the same is written in place, so that descriptors and mappings of it stay valid.

Like display.py this runs beside foreign code, and binds what it uses before that code comes.
"""

from __future__ import annotations

import builtins

__builtins__ = dict(vars(builtins))  # of the functions below; from here on only theirs

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
    """One entry of a directory, as it was."""

    __slots__ = ("first", "name", "names", "parts", "status", "target")

    def __init__(self, name: str, status: stat_result) -> None:
        self.name = name
        self.status = status
        self.names: set[str] = set()  # of a directory
        self.parts: list[tuple[int, bytes]] = []  # of a regular file
        self.target = ""  # of a symbolic link
        self.first = ""  # of a hard link: the first path of that file

    @property
    def is_folder(self) -> bool:
        """Whether it is a directory."""
        return S_ISDIR(self.status.st_mode)


class Tree:
    """Everything below a directory, in memory."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.top = Entry("", stat(root))
        self.entries: list[Entry | None] = []  # in the order of the walk; None: a directory ends
        self._seen: dict[int, tuple[str, list[tuple[int, bytes]]]] = {}  # files with several names
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
        """Read everything. What vanishes meanwhile is left out."""
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
        """Return an entry; enter a directory. None for what is not part of the tree."""
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
        """Restore everything; return what could not be restored, and why.

        Everything superfluous goes first, because otherwise there might be no room for the rest.
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
        """Remove what was not there or has been replaced; empty what will be written."""
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
        """Make another name for a file that is restored already; tell whether that worked."""
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
            return False  # the path is too long: then it becomes a separate file
        return True


def enter_or_make(place: Walk, name: str) -> None:
    """Make a directory of that name if needed, and enter it."""
    now = place.look(name)
    if now is not None and not S_ISDIR(now.st_mode):
        place.remove(name)
        now = None
    if now is None:
        mkdir(name, 0o700)
        now = lstat(name)
    place.enter(name, now)


def empty(entry: Entry) -> bool:
    """Make room in what is still the same; tell whether it can be written in place."""
    if not S_ISREG(entry.status.st_mode):
        return True
    try:
        chmod(entry.name, 0o600)
        truncate(entry.name, 0)
    except OSError:
        return False
    return True


def settle(name: str, status: stat_result) -> None:
    """Restore its mode and times."""
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
    """Open a file of ours even if its mode forbids reading."""
    try:
        return open_file(entry.name, LOOK)
    except PermissionError:
        mode = S_IMODE(entry.status.st_mode)
        chmod(entry.name, mode | 0o400)
        fd = open_file(entry.name, LOOK)
        fchmod(fd, mode)
        return fd


def parts_of(fd: int, size: int) -> Iterator[tuple[int, bytes]]:
    """Yield the parts between the holes."""
    at = 0
    while at < size:
        try:
            start = lseek(fd, at, SEEK_DATA)
            at = lseek(fd, start, SEEK_HOLE)
        except OSError:
            return  # only a hole follows
        while start < at:
            part = pread(fd, at - start, start)
            if not part:
                return  # it was truncated meanwhile
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
