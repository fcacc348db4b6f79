"""Threat: sockets whose close() sleeps are sent over the channel; whoever drops them sleeps.

    linger answer     every answer brings them with its first byte
    linger unasked    they come between the calls
    linger during     they come in the middle of a call that never ends
    linger checkpoints      they are the sockets of the checkpoints themselves
"""

import os
import signal
import socket
import sys
import threading
import time
from typing import Any

import _kit


CHANCES = 4  # bytes that bring sockets: sometimes it is our own close that sleeps
PATIENCE = 30  # hundredths of a second


def gave(byte: bytes, to: list[int]) -> bool:
    """Have a process send a byte with sockets, and say whether it went; it may sleep."""
    child = os.fork()
    if child == 0:
        os._exit(not _kit.give(byte, to))
    for _ in range(PATIENCE):
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return status == 0
        time.sleep(0.01)
    return True


def with_answers() -> None:
    """Have each answer of the guest bring sockets, over whatever it goes."""

    def act(answer: dict[str, Any], to: list[int], rest: Any) -> None:
        if not _kit.is_time():
            return rest()
        frame = _kit.framed(answer)
        for at in range(CHANCES):
            if not gave(frame[at : at + 1], to):
                _kit.say(frame[at : at + 1], (), to)
        _kit.say(frame[CHANCES:], (), to)

    if not _kit.answering(act):
        sys.exit("the guest has no function that answers")


def unasked() -> None:
    """Send them a moment after this call has ended, and again."""

    def later() -> None:
        _kit.await_word()
        for _ in range(4):
            _kit.give(b"\0")
        open("/workspace/done", "w").close()

    threading.Thread(target=later, daemon=True).start()


def during() -> None:
    """Send them now, before the answer to a call that cannot be interrupted."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _kit.give(b"\0\1")
    while True:
        time.sleep(1)


def as_checkpoints() -> None:
    """Make the next pair a TCP connection, and put its peer into the queue of the one after."""
    kept: list[int] = []
    worker = os.getpid()

    def make(name: str, function: Any) -> Any:
        def socketpair(*args: Any) -> tuple[Any, Any]:
            if kept or not _kit.is_time():
                return function(*args)
            listener = socket.create_server(("127.0.0.1", 0))
            theirs = socket.create_connection(listener.getsockname())
            ours = listener.accept()[0]
            kept.append(os.dup(ours.fileno()))
            _kit.stuff(theirs)
            kind = type(function()[0])
            return kind(fileno=ours.detach()), kind(fileno=theirs.detach())

        def send(*args: Any) -> Any:
            said = function(*args)
            others = [fd for fd in _kit.unix_sockets() if fd != 3]
            if kept and os.getpid() != worker:
                _kit.say(b"x", kept, others)
                while True:  # and read nothing, ever
                    time.sleep(1)
            return said

        return socketpair if name == "socketpair" else send

    _kit.replace(("socketpair", "send"), make)


{"answer": with_answers, "unasked": unasked, "during": during, "checkpoints": as_checkpoints}[sys.argv[1]]()
