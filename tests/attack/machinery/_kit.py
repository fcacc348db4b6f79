"""_kit - what attacks on the machinery share: descriptors, hooks of the guest, words to us.

Runs inside, as a module of a session's code or beside a program. Nothing here knows the protocol
of today: every descriptor is tried, every function of ours that can be reached is wrapped.
"""

import array
import contextlib
import ctypes
import json
import os
import platform
import socket
import stat
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from types import FrameType, FunctionType, ModuleType
from typing import Any

LINGER_S = 60
GO = "/workspace/go"  # an attack that waits for its moment waits for this file
EXIT = 93 if platform.machine() == "aarch64" else 60  # of one thread
LIBC = ctypes.CDLL(None, use_errno=True)
Names = dict[str, Any]


# -- descriptors ---------------------------------------------------------------------


def descriptors() -> list[int]:
    """Return every open descriptor but 0, 1 and 2, whoever made it."""
    found = []
    for name in os.listdir("/proc/thread-self/fd"):  # the first thread may have ended
        with contextlib.suppress(OSError):
            os.fstat(int(name))
            found.append(int(name))
    return sorted(fd for fd in found if fd > 2)


def of_kind(test: Callable[[int], bool]) -> list[int]:
    """Return those descriptors whose mode passes a test of the module stat."""
    found = []
    for fd in descriptors():
        with contextlib.suppress(OSError):
            if test(os.fstat(fd).st_mode):
                found.append(fd)
    return found


@contextlib.contextmanager
def as_socket(fd: int) -> Iterator[socket.socket]:
    """Have a descriptor as a socket, without giving it away."""
    one = socket.socket(fileno=os.dup(fd))
    try:
        yield one
    finally:
        one.close()


def unix_sockets() -> list[int]:
    """Return the sockets over which descriptors could go."""
    found = []
    for fd in of_kind(stat.S_ISSOCK):
        with contextlib.suppress(OSError), as_socket(fd) as one:
            if one.family == socket.AF_UNIX:
                found.append(fd)
    return found


def give(payload: bytes, to: Sequence[int] | None = None) -> int:
    """Say something with sockets that linger, and have no copy of them a moment later."""
    said = 0
    for fd in unix_sockets() if to is None else [fd for fd in to if fd in unix_sockets()]:
        fds = parcel()
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))]
        with contextlib.suppress(OSError), as_socket(fd) as one:
            one.sendmsg([payload], rights, socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)
            close(fds)
            said += 1
    return said


def say(payload: bytes, fds: Sequence[int] = (), to: Sequence[int] | None = None) -> int:
    """Say something, with descriptors where that goes, on every channel; return on how many."""
    said = 0
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
    for fd in unix_sockets() if to is None else [fd for fd in to if fd in unix_sockets()]:
        with contextlib.suppress(OSError), as_socket(fd) as one:
            one.sendmsg([payload], rights, socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)
            said += 1
    for fd in of_kind(stat.S_ISFIFO) if to is None else to:
        with contextlib.suppress(OSError):
            again = os.open(f"/proc/self/fd/{fd}", os.O_WRONLY | os.O_NONBLOCK)
            said += os.write(again, payload) > 0
            os.close(again)
    return said


def lingering(count: int = 3) -> list[int]:
    """Return TCP sockets whose close sleeps, and in their midst what keeps their peers alive."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    listener.bind(("127.0.0.1", 0))
    listener.listen(count)
    fds = []
    for _ in range(count):
        one = socket.create_connection(listener.getsockname())
        stuff(one)
        fds.append(one.detach())
    fds.insert(count - 1, listener.detach())
    return fds


def stuff(one: socket.socket) -> None:
    """Write until nothing goes any more; from then on a close waits for a reader."""
    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, LINGER_S))
    one.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        while True:
            one.send(bytes(65536))


def parcel(count: int = 3) -> list[int]:
    """Return sockets in whose queues lingering ones wait: who closes one closes all."""
    found = []
    for _ in range(count):
        ours, theirs = socket.socketpair()
        inner = lingering()
        socket.send_fds(theirs, [b"x"], inner)
        close(inner)
        theirs.close()
        found.append(ours.detach())
    return found


def close(fds: Sequence[int]) -> None:
    """Give up our copies at once: whoever has what is in flight is to be the last."""
    for fd in fds:
        os.close(fd)


# -- the guest -----------------------------------------------------------------------


def frames() -> list[FrameType]:
    """Return every frame of every thread, the innermost first."""
    found = []
    for top in (sys._getframe(), *sys._current_frames().values()):
        frame: FrameType | None = top
        while frame:
            found.append(frame)
            frame = frame.f_back
    return found


def is_hidden(names: Names) -> bool:
    """Say whether a namespace is of a module that sys.modules does not have: one of ours."""
    module = sys.modules.get(names.get("__name__", ""))
    return "__name__" in names and (module is None or vars(module) is not names)


def guest() -> list[Names]:
    """Return the namespaces of the guest: from the frames, along functions and classes."""
    found: list[Names] = []
    todo = [frame.f_globals for frame in frames()]
    while todo:
        names = todo.pop()
        if not is_hidden(names) or any(names is one for one in found):
            continue
        found.append(names)
        for value in list(names.values()):
            inner = list(vars(value).values()) if isinstance(value, type) else [value]
            todo += [f.__globals__ for f in inner if isinstance(f, FunctionType)]
            todo += [vars(m) for m in inner if isinstance(m, ModuleType)]
    return found


def replace(names: Sequence[str], make: Callable[[str, Callable], Callable]) -> int:
    """Put make(name, function) in the place of the guest's functions of these names."""
    count = 0
    for space in guest():
        for name in names or [n for n in space if not n.startswith("__")]:
            value = space.get(name)
            if callable(value) and not isinstance(value, type):
                space[name] = make(name, value)
                count += 1
    return count


def hook(act: Callable[[], None]) -> int:
    """Have act() called before and after every function of the guest."""
    busy: list[int] = []

    def guarded() -> None:
        if not busy:
            busy.append(1)
            try:
                act()
            finally:
                busy.pop()

    def make(_name: str, function: Callable) -> Callable:
        def hooked(*args: Any, **named: Any) -> Any:
            guarded()
            try:
                return function(*args, **named)
            finally:
                guarded()

        return hooked

    return replace((), make)


def number() -> int:
    """Return the number of the request that is being answered, as its frames know it."""
    for frame in frames():
        local = frame.f_locals
        request = local.get("request")
        if isinstance(request, dict) and isinstance(request.get("id"), int):
            return request["id"]
        if isinstance(local.get("number"), int):
            return local["number"]
    return 0


def framed(answer: dict[str, Any] | bytes) -> bytes:
    """Return an answer as the protocol has it: a length, then JSON."""
    text = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    return struct.pack("<I", len(text)) + text


def targets(args: Sequence[Any]) -> list[int]:
    """Return the descriptors among a function's arguments: on these the guest would speak."""
    found = []
    for one in args:
        with contextlib.suppress(Exception):
            found.append(one if type(one) is int else one.fileno())
    return [fd for fd in found if fd in descriptors()]


def answering(act: Callable[[dict[str, Any], list[int], Callable], Any]) -> int:
    """Have act(answer, descriptors to speak on, the guest's own way) called in place of sending."""

    def make(_name: str, function: Callable) -> Callable:
        def instead(*args: Any, **named: Any) -> Any:
            answer = next((one for one in args if isinstance(one, dict)), None)
            if answer is None:
                return function(*args, **named)
            to = targets(args) or unix_sockets() + of_kind(stat.S_ISFIFO)
            return act(answer, to, lambda: function(*args, **named))

        return instead

    return replace(("send", "answer", "reply", "write_answer", "send_answer"), make)


# -- processes -----------------------------------------------------------------------


def leaderless(work: Callable[[], None]) -> int:
    """Start a process of which only a second thread goes on; return its pid."""
    pid = os.fork()
    if pid:
        return pid
    os.setsid()
    threading.Thread(target=work).start()
    LIBC.syscall(ctypes.c_long(EXIT), ctypes.c_long(0))
    return 0  # not reached


def stop_others() -> None:
    """Stop every process but this one and pid 1."""
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) not in (1, os.getpid()):
            with contextlib.suppress(OSError):
                os.kill(int(name), 19)


def is_time() -> bool:
    """Say whether the test has given the word."""
    return os.path.exists(GO)


def await_word() -> None:
    """Wait for it."""
    while not is_time():
        time.sleep(0.02)
