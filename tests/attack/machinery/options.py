"""Threat: options of a shared socket or file decide how long our receive, our send, our close take.

    options whole    every descriptor that the session has gets them, before and after each step
                     of the guest: what it makes for us, too
    options half     the same, and of an answer only the first bytes come
"""

import contextlib
import ctypes
import fcntl
import os
import socket
import stat
import struct
import sys
import time
from typing import Any

import _kit

SO_PEEK_OFF, SO_LOCK_FILTER, SO_ATTACH_FILTER = 42, 44, 26
DROP_ALL = struct.pack("HBBI", 6, 0, 0, 0)  # BPF_RET | BPF_K, 0
MANY = 1 << 30


def on_socket(one: socket.socket) -> None:
    """Set what makes the other side wait, or see nothing."""
    seconds, linger = struct.pack("ll", 3600, 0), struct.pack("ii", 1, 3600)
    program = ctypes.create_string_buffer(DROP_ALL)
    filtered = struct.pack("HxxxxxxP", 1, ctypes.addressof(program))
    level = socket.SOL_SOCKET
    for option, value in (
        (socket.SO_RCVLOWAT, MANY),
        (socket.SO_RCVTIMEO, seconds),
        (socket.SO_SNDTIMEO, seconds),
        (socket.SO_LINGER, linger),
        (socket.SO_RCVBUF, 1),
        (socket.SO_SNDBUF, 1),
        (socket.SO_PASSCRED, 1),
        (SO_PEEK_OFF, MANY),
        (SO_ATTACH_FILTER, filtered),
        (SO_LOCK_FILTER, 1),
    ):
        with contextlib.suppress(OSError):
            one.setsockopt(level, option, value)


def on_file(fd: int) -> None:
    """Set the flags that all who share the open file share."""
    with contextlib.suppress(OSError):
        fcntl.fcntl(fd, fcntl.F_SETOWN, os.getpid())
        flags = fcntl.fcntl(fd, fcntl.F_GETFL)
        fcntl.fcntl(fd, fcntl.F_SETFL, flags & ~os.O_NONBLOCK)
    with contextlib.suppress(OSError):
        fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, 4096)


def act() -> None:
    """Set all of it on all that is open, but not on what only waits for requests."""
    for fd in _kit.descriptors():
        on_file(fd)
    for fd in _kit.of_kind(stat.S_ISSOCK):
        # That would keep the guest from hearing of anything; and so would a checkpoint's.
        if fd != 3 and sys.argv[1] == "whole":
            with contextlib.suppress(OSError), _kit.as_socket(fd) as one:
                on_socket(one)


def half(answer: dict[str, Any], to: list[int], rest: Any) -> None:
    """Say less than what whoever receives it asks for."""
    if not _kit.is_time():
        return rest()
    _kit.say(_kit.framed(answer)[:2], (), to)
    while True:
        time.sleep(1)


if sys.argv[1] == "half":
    _kit.answering(half)
_kit.hook(act)
