"""savedstate - what is not memory and yet belongs to the state of a session.

Files (savedfiles.py), the open ones and the places in them, and the current directory.

Like display.py this runs beside foreign code, and binds what it uses before that comes.
"""

from __future__ import annotations

import builtins

__builtins__ = dict(vars(builtins))  # of the functions below; from here on nobody else's

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
    """What is not memory and yet belongs to the state: files, the places in them, a directory."""

    def __init__(self, places: list[str]) -> None:
        self.trees = [Tree(place) for place in places if is_reached(place)]
        self.files = OpenFile.listed()
        self.folder = current_folder()

    def put_back(self) -> list[str]:
        """Have all of it as it was, where it was; return what could not be."""
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
    """Whether code can have files there: it may be moved away, or be another's (--tmpfs, uid=)."""
    try:
        return stat(place).st_uid == geteuid() or access(place, R_OK | W_OK)
    except OSError:
        return False


class OpenFile:
    """A regular file that is open: under which number, and at which place."""

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
        """Go back to the place; whoever shares it goes along."""
        lseek(self.fd, self.offset, SEEK_SET)

    def open_again(self) -> None:
        """Have the file that bears the name now, under the same number and at the same place.

        Without a name it stays what it is, shared with whoever else has it.
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
    """Return the path of the current directory; nothing if it has none any more."""
    try:
        return getcwd()
    except OSError:
        return ""
