"""streams - standard output and error that are written through, because somebody collects them.

What a program printed before a crash, os._exit(), a kill or a limit is in the pipe by then, and lines of
its children stand where they were written. That is `python -u`, with two differences: a write is whole
although a signal interrupts it, or a child has made the pipe non-blocking; and a process that the
program forks writes line by line, because print() writes a line and its end apart, and the lines of
several processes must not mix.

Like display.py this file binds what it uses before foreign code comes.
"""

from __future__ import annotations

import builtins

__builtins__ = dict(vars(builtins))  # of the functions below; from here on only theirs

import sys
from io import FileIO, TextIOWrapper
from io import open as _open
from os import environ, register_at_fork
from select import POLLOUT, poll

NAMES = ("stdout", "stderr")
ours: dict[str, TextIOWrapper] = {}

_write = FileIO.write


class Raw(FileIO):
    """A descriptor to which write() writes everything."""

    def write(self, data) -> int:
        """Write all of it. TextIOWrapper ignores how much FileIO.write() has written."""
        done = _write(self, data)
        if type(data) is bytes and done == len(data):
            return done
        view = memoryview(data).cast("B")
        left = view[done or 0 :]
        while left:
            if done is None:
                self._wait()
            done = _write(self, left)
            left = left[done or 0 :]
        return view.nbytes

    def _wait(self) -> None:
        """Wait until the reader has made room."""
        room = poll()
        room.register(self.fileno(), POLLOUT)
        room.poll()


def _stream(name: str, binary, **buffering: bool) -> TextIOWrapper:
    """Return a text stream that says of itself what the first one says."""
    like = getattr(sys, f"__{name}__")
    stream = TextIOWrapper(binary, like.encoding, like.errors, "\n", **buffering)
    stream.mode = "w"
    return stream


def write_through() -> None:
    """Make new standard streams that are written through; the Pythons that it starts have such, too."""
    environ["PYTHONUNBUFFERED"] = "1"
    for fd, name in enumerate(NAMES, 1):
        if getattr(sys, f"__{name}__") is None:  # there was no such descriptor
            continue
        raw = Raw(fd, "w", closefd=False)
        raw.name = f"<{name}>"
        _replace(name, _stream(name, raw, write_through=True))


def _replace(name: str, stream: TextIOWrapper) -> None:
    setattr(sys, name, stream)
    setattr(sys, f"__{name}__", stream)
    ours[name] = stream


def _by_line_in_child() -> None:
    """In a process that was forked, write line by line what goes to our streams."""
    for fd, name in enumerate(NAMES, 1):
        if name in ours and getattr(sys, name, None) is ours[name]:
            try:
                binary = _open(fd, "wb", closefd=False)
                binary.raw.name = f"<{name}>"
                _replace(name, _stream(name, binary, line_buffering=True))
            except Exception:  # foreign code has closed it
                continue


register_at_fork(after_in_child=_by_line_in_child)
