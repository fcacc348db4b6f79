"""Threat: a process whose first thread has ended is overlooked by what looks at leaders.

    leaderless answer     it outlives a rollback, and answers for the session afterwards
    leaderless stay       it lives; whoever freezes, kills or removes all has to find it
    leaderless worker     the interpreter itself goes on in a second thread
    leaderless run        the same beside a program that goes on
"""

import contextlib
import os
import socket
import sys
import threading
import time

import _kit

FORGED = {"status": "ok", "displays": [], "figures": [], "value": {"text/plain": "'evil'"}}


def answer() -> None:
    """Wait for the test, stop all others, and answer whatever is asked."""
    kept = [os.dup(fd) for fd in _kit.descriptors()]
    _kit.await_word()
    _kit.stop_others()
    while True:
        for fd in kept:
            with contextlib.suppress(OSError), _kit.as_socket(fd) as one:
                reply(one, kept)
        time.sleep(0.001)


def reply(one: socket.socket, kept: list[int]) -> None:
    """Read one request, if there is one, and answer it on all that could carry an answer."""
    one.setblocking(False)
    said, fds, _, _ = socket.recv_fds(one, 1 << 16, 16)
    at = said.find(b'"id":')
    if at < 0:
        return
    number = int(said[at + 5 :].lstrip().split(b",")[0].rstrip(b"}"))
    _kit.say(_kit.framed(FORGED | {"id": number}), (), [*fds, *kept])


def stay() -> None:
    """Live."""
    while True:
        time.sleep(1)


def become_leaderless() -> None:
    """End the first thread of the interpreter; a second one serves in its place."""
    loops = [frame for frame in _kit.frames() if frame.f_code.co_name == "serve"]
    if not loops:
        sys.exit("the guest has no function that serves")
    code, local = loops[-1].f_code, loops[-1].f_locals
    serve = loops[-1].f_globals["serve"]
    given = [local[name] for name in code.co_varnames[: code.co_argcount]]
    number = _kit.number()

    def go_on() -> None:
        time.sleep(0.2)
        _kit.say(_kit.framed(FORGED | {"id": number}), (), None)
        with contextlib.suppress(BaseException):
            serve(*given)
        stay()

    threading.Thread(target=go_on).start()
    _kit.LIBC.syscall(_kit.EXIT, 0)


if sys.argv[1] == "worker":
    become_leaderless()
for _ in range(4):
    _kit.leaderless(answer if sys.argv[1] == "answer" else stay)
if sys.argv[1] == "run":
    print("ready", flush=True)
    stay()
