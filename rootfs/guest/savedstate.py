"""savedstate - the part of a session's state that is not in memory.

Files (savedfiles.py), open files and their offsets, and the current directory.

Like display.py this runs beside foreign code, and binds what it uses before that code comes.
"""

from __future__ import annotations

import builtins

__builtins__ = dict(vars(builtins))  # of the functions below; from here on only theirs

from fcntl import F_GETFL, fcntl
from os import (
    O_CREAT,
    O_EXCL,
    O_TRUNC,
    R_OK,
    SEEK_CUR,
    SEEK_SET,
    W_OK,
    access,
    chdir,
    chmod,
    close,
    dup2,
    fstat,
    get_inheritable,
    getcwd,
    geteuid,
    listdir,
    lseek,
    readlink,
    stat,
    stat_result,
)
from os import open as open_file
from stat import S_IMODE, S_ISREG

from savedfiles import Tree
from treewalk import identity

WORKSPACE = "/workspace"
MAKING = O_CREAT | O_EXCL | O_TRUNC


class Saved:
    """The state outside memory: files, offsets of open files, a directory."""

    def __init__(self, places: list[str]) -> None:
        self.trees = [Tree(place) for place in places if is_reached(place)]
        self.files = OpenFile.listed()
        self.folder = current_folder()

    def put_back(self) -> list[str]:
        """Restore all of it; return what could not be restored."""
        problems = [problem for tree in self.trees for problem in tree.restore()]
        for file in self.files:
            file.seek()
        self._open_again()
        if self.folder:
            self._go_back()
        return problems

    def _open_again(self) -> None:
        devices = [tree.device for tree in self.trees]
        for file in self.files:
            if file.device in devices:
                file.open_again()

    def _go_back(self) -> None:
        for folder in (self.folder, WORKSPACE, "/"):
            try:
                chdir(folder)
                return
            except OSError:
                continue


def is_reached(place: str) -> bool:
    """Whether code can have files there: it may be moved away, or have another owner (--tmpfs, uid=)."""
    try:
        return stat(place).st_uid == geteuid() or access(place, R_OK | W_OK)
    except OSError:
        return False


class OpenFile:
    """An open regular file: its descriptor and its offset."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.device = fstat(fd).st_dev
        self.path = readlink(f"/proc/self/fd/{fd}")
        self.flags = fcntl(fd, F_GETFL) & ~MAKING
        self.inheritable = get_inheritable(fd)
        self.offset = lseek(fd, 0, SEEK_CUR)

    @classmethod
    def listed(cls) -> list[OpenFile]:
        """Return all of them."""
        found = []
        for name in listdir("/proc/self/fd"):
            try:
                if S_ISREG(fstat(int(name)).st_mode):
                    found.append(cls(int(name)))
            except OSError:
                continue  # the listing's own
        return found

    def seek(self) -> None:
        """Restore the offset, which all that share the open file share."""
        lseek(self.fd, self.offset, SEEK_SET)

    def open_again(self) -> None:
        """Open the file that now has the name, under the same number and at the same offset.

        Without a name it stays the open file that it is, shared with all others that have it.
        """
        try:
            status = stat(self.path)
            if identity(status) == identity(fstat(self.fd)):
                return
            fd = self._open(status)
        except OSError:
            return
        lseek(fd, self.offset, SEEK_SET)
        dup2(fd, self.fd, self.inheritable)
        close(fd)

    def _open(self, status: stat_result) -> int:
        try:
            return open_file(self.path, self.flags)
        except PermissionError:  # it was opened before it got that mode
            chmod(self.path, 0o600)
            try:
                return open_file(self.path, self.flags)
            finally:
                chmod(self.path, S_IMODE(status.st_mode))


def current_folder() -> str:
    """Return the path of the current directory; nothing if it has no path any more."""
    try:
        return getcwd()
    except OSError:
        return ""
