"""treewalk - walks a tree of files of any shape.

The walk changes into each directory (chdir) and comes back: depth and length of a path do not
matter, and two descriptors are enough. Modes never hinder it, because all files have one owner: us.

Another file system that is mounted below is not part of the tree: it may be the host's. Nothing
of it is entered or removed, and its mount point stays. The kernel would not refuse that: a root that
is mounted nowhere releases a mount when its mount point is removed.

Like display.py this runs beside foreign code, and binds what it uses before that code comes.
"""

from __future__ import annotations

import builtins

__builtins__ = dict(vars(builtins))  # of the functions below; from here on only theirs

from collections.abc import Iterator
from contextlib import contextmanager
from errno import ENOTEMPTY, EXDEV
from os import (
    O_CLOEXEC,
    O_DIRECTORY,
    O_PATH,
    chdir,
    chmod,
    close,
    fchdir,
    listdir,
    lstat,
    rmdir,
    stat,
    stat_result,
    unlink,
)
from os import open as open_file
from stat import S_IMODE, S_ISDIR


class Moved(Exception):
    """Directories were moved meanwhile: the present position is unknown."""


def identity(status: stat_result) -> tuple[int, int]:
    """Return what identifies this file."""
    return status.st_dev, status.st_ino


class Walk:
    """This process, walking in one file system below a directory."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._names: list[str] = []
        self._above: list[tuple[int, int]] = []
        open_up(root, stat(root))
        chdir(root)
        self._device = stat(".").st_dev

    def path(self, name: str) -> str:
        """Return the path of a name in the present directory."""
        return "/".join([self.root, *self._names, name])

    def look(self, name: str) -> stat_result | None:
        """Return what is there; None if there is nothing."""
        try:
            return lstat(name)
        except FileNotFoundError:
            return None

    def is_elsewhere(self, status: stat_result) -> bool:
        """Whether an entry belongs to another file system."""
        return status.st_dev != self._device

    def enter(self, name: str, status: stat_result) -> None:
        """Enter a directory; from now on its mode does not hinder us."""
        if self.is_elsewhere(status):
            raise OSError(EXDEV, "another file system is mounted there", name)
        here = identity(stat("."))
        open_up(name, status)
        chdir(name)
        if identity(stat(".")) != identity(status):
            raise Moved(f"directory {name!r} was moved meanwhile")
        self._above.append(here)
        self._names.append(name)

    def leave(self) -> str:
        """Go back to its parent; return its name."""
        name = self._names.pop()
        try:
            chdir("..")
        except OSError:
            raise Moved(f"directory {name!r} was removed meanwhile") from None
        if identity(stat(".")) != self._above.pop():
            raise Moved(f"directory {name!r} was moved meanwhile")
        return name

    def remove(self, name: str) -> None:
        """Remove an entry of any kind, but nothing of another file system."""
        problem = None
        todo = [[name]]
        while todo[-1] or len(todo) > 1:
            try:
                if todo[-1]:
                    self._remove_or_enter(todo[-1].pop(), todo)
                    continue
                todo.pop()
                rmdir(self.leave())
            except OSError as error:
                problem = problem or error
        # Not empty: a mount is below it, which stays.
        if problem and problem.errno != ENOTEMPTY:
            raise problem

    def _remove_or_enter(self, name: str, todo: list[list[str]]) -> None:
        status = self.look(name)
        if status is None or self.is_elsewhere(status):
            return
        if not S_ISDIR(status.st_mode):
            unlink(name)
            return
        self.enter(name, status)
        todo.append([])
        todo[-1] += listdir(".")


@contextmanager
def walk(root: str) -> Iterator[Walk]:
    """Go there, and come back at the end."""
    origin = open_file(".", O_PATH | O_DIRECTORY | O_CLOEXEC)
    try:
        yield Walk(root)
    finally:
        try:
            fchdir(origin)
        finally:
            close(origin)


def open_up(name: str, status: stat_result) -> None:
    """Let ourselves read, write and search a directory."""
    if status.st_mode & 0o700 != 0o700:
        chmod(name, S_IMODE(status.st_mode) | 0o700)
