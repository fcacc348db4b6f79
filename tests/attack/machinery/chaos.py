"""Threat: an interpreter that answers everything wrongly, late, twice, never, after its death.

    chaos MODE    from the moment on that the test gives the word

The functions with which the guest answers are replaced; copies of it (checkpoints) have the same.
"""

import contextlib
import os
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import _kit

Answer = dict[str, Any]
MODE = sys.argv[1]


def never(*_: Any) -> None:
    """Say nothing and be deaf."""
    while True:
        with contextlib.suppress(KeyboardInterrupt):
            time.sleep(1000)


def say(answer: Answer | bytes, to: list[int], fds: list[int] | None = None) -> None:
    """Say a whole frame."""
    _kit.say(_kit.framed(answer), fds or (), to)


def wrong_id(answer: Answer, to: list[int], _: Any) -> None:
    say(answer | {"id": (answer.get("id", 0) + 1) & 0xFFFFFFFF}, to)


def no_id(answer: Answer, to: list[int], _: Any) -> None:
    say({"pid": answer.get("pid", 1)}, to)


def odd_id(answer: Answer, to: list[int], _: Any) -> None:
    say(answer | {"id": [-1.5e300, None, {"id": answer.get("id")}]}, to)


def wrong_pid(answer: Answer, to: list[int], _: Any) -> None:
    say(answer | {"pid": 1}, to)


def wrong_types(answer: Answer, to: list[int], _: Any) -> None:
    say({name: {"x": [value]} if name != "id" else value for name, value in answer.items()}, to)


def twice(answer: Answer, to: list[int], _: Any) -> None:
    say(answer, to)
    say(answer, to)


def flood(answer: Answer, to: list[int], _: Any) -> None:
    """Say it without end, so that every buffer is full."""
    while True:
        say(answer, to)


def with_descriptors(answer: Answer, to: list[int], _: Any) -> None:
    say(answer, to, [0, 1, 2, *os.pipe()])


def bytewise(answer: Answer, to: list[int], _: Any) -> None:
    """Say one byte a second."""
    for byte in _kit.framed(answer):
        _kit.say(bytes([byte]), (), to)
        time.sleep(1)


def half(answer: Answer, to: list[int], _: Any) -> None:
    """Say half of it, and then nothing."""
    _kit.say(_kit.framed(answer)[:-5], (), to)
    never()


def header(_answer: Answer, to: list[int], _: Any) -> None:
    _kit.say(b"\7", (), to)
    never()


def giant(_answer: Answer, to: list[int], _: Any) -> None:
    """Announce four gigabytes."""
    _kit.say(struct.pack("<I", 0xFFFFFFFF) + b"x" * 1000, (), to)
    never()


def large(_answer: Answer, to: list[int], _: Any) -> None:
    """Announce what is allowed, and send it without an end."""
    _kit.say(struct.pack("<I", 190 << 20), (), to)
    while True:
        _kit.say(b" " * 65536, (), to)


def garbage(_answer: Answer, to: list[int], _: Any) -> None:
    _kit.say(os.urandom(5000), (), to)
    never()


def deep(_answer: Answer, to: list[int], _: Any) -> None:
    say(b"[" * 100_000, to)


def dead(answer: Answer, to: list[int], _: Any) -> None:
    """End; a child answers a second later."""
    if os.fork() == 0:
        os.setsid()
        time.sleep(1)
        say(answer, to)
        never()
    os._exit(0)


def late(answer: Answer, to: list[int], rest: Callable[[], None]) -> None:
    """Answer; a child answers again, and goes on when the call is over."""
    if os.fork() == 0:
        os.setsid()
        while True:
            time.sleep(0.2)
            say(answer, to)
    rest()


def thread(answer: Answer, to: list[int], rest: Callable[[], None]) -> None:
    """Answer; a thread goes on to talk."""

    def talk() -> None:
        while True:
            time.sleep(0.05)
            say({"id": _kit.number(), "status": "ok"}, _kit.descriptors())

    threading.Thread(target=talk, daemon=True).start()
    rest()


def closed(*_: Any) -> None:
    """Close everything and live."""
    os.closerange(0, 4096)
    never()


def shut(*_: Any) -> None:
    """Shut both directions of what is a socket, and live."""
    for fd in _kit.unix_sockets():
        with contextlib.suppress(OSError), _kit.as_socket(fd) as one:
            one.shutdown(socket.SHUT_RDWR)
    never()


def exchanged(answer: Answer, to: list[int], rest: Callable[[], None]) -> None:
    """Put other things in the place of all descriptors, then answer."""
    for fd in _kit.descriptors():
        os.dup2(os.pipe()[1], fd)
    rest()
    never()


def executed(*_: Any) -> None:
    """Become another program, which has the descriptors and says nothing."""
    for fd in _kit.descriptors():
        os.set_inheritable(fd, True)
    os.execv("/bin/sleep", ["sleep", "1000"])


def suspended(*_: Any) -> None:
    """Stop."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.kill(os.getpid(), signal.SIGSTOP)


def crashed(*_: Any) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def crowded(answer: Answer, to: list[int], _: Any) -> None:
    """Have many processes say it at once, for ever."""
    for _i in range(20):
        if os.fork() == 0:
            os.setsid()
            while True:
                say(answer, to)
    never()


def act(answer: Answer, to: list[int], rest: Callable[[], None]) -> None:
    """Answer as the mode says; until it is time, as the guest would."""
    if _kit.is_time():
        globals()[MODE](answer, to, rest)
    else:
        rest()


if not _kit.answering(act):
    sys.exit("the guest has no function that answers")
