"""session - a cell that keeps its interpreter from call to call.

Theory of operation
===================

Descriptor 3 is a stream socket on which whoever drives the session sends requests, and nothing
can be sent back. Each brings the pipe for its answer; both are frames: four bytes of length
(little-endian), then that many bytes of JSON. One request, one answer, with the same "id":

    {"id", "op": "places", "paths"}              {"pid"}; first of all: which directories are file
                                                 systems of the session's own, in memory
    {"id", "op": "run", "source", "formats"}     what units.Interpreter.run() returns; "plain"
                                                 is for who shows text only
    {"id", "op": "checkpoint"} and a socket      {"pid"}; from then on a twin has the socket
    to a twin: {"id", "op": "ping"}              {"pid"} of the twin, when it has the files
    to a twin: {"id", "op": "rollback"} and      {"pid"} of the new worker, whose channel that is;
        a socket                                 the twin's own twin has its socket from then on

Instead, or beside it, there is "error" where something failed: then the session goes on without.

A checkpoint is a fork that waits: the twin has the interpreter as it was, and reads what is in
those places into its memory (savedstate.py). To roll back, the driver asks whether the twin is
still there, kills everything else, and the twin forks once more: the copy goes on waiting in its
place, the twin puts the files back and becomes the worker.

Foreign code runs in this very process and could do all of that by itself: nothing here is a
boundary, and the driver believes nothing. But what honest code replaces (json.dumps, os.fork) or
sets (socket.setdefaulttimeout) is not to end its session: like display.py this file binds what it
uses before that code comes.
"""

from __future__ import annotations

import builtins

__builtins__ = dict(vars(builtins))  # of the functions below; from here on nobody else's

import sys
from _socket import socket as Socket
from collections.abc import Callable
from errno import EMFILE
from os import (
    P_ALL,
    WEXITED,
    WNOHANG,
    WNOWAIT,
    _exit,
    close,
    dup2,
    getpid,
    strerror,
    waitid,
)
from signal import SIG_DFL, SIGCHLD, getsignal, raise_signal, signal
from time import sleep
from typing import Any, NoReturn

import units
from savedstate import Saved
from sessionframes import (
    ERROR_MAX,
    INTERRUPTED,
    Closed,
    interrupts,
    own,
    reason,
    receive,
    send,
)

CHANNEL = 3
places: list[str] = []  # whose files a checkpoint has
Fork = Callable[[], int]  # cell_fork_apart() of cell.so
FORKS_MAX = 500  # tries, 10 ms apart: what was killed counts until it has been reaped


def flush() -> None:
    """Write out what the call printed: the answer must come after it."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:  # foreign code may have put anything there
            pass


def fork_apart(fork: Fork) -> bool:
    """Fork, but not a child of this process: foreign code waits for its own. True in the copy."""
    handler = getsignal(SIGCHLD)
    if not callable(handler):
        return fork_or_raise(fork)
    signal(SIGCHLD, SIG_DFL)  # for the end of the process in between there is nothing to wait for
    try:
        return fork_or_raise(fork)
    finally:
        signal(SIGCHLD, handler)
        if has_ended_child():
            raise_signal(SIGCHLD)


def fork_or_raise(fork: Fork) -> bool:
    """Fork apart; True in the copy."""
    done = fork()
    if done < 0:
        raise OSError(-done, strerror(-done))
    return done == 0


def has_ended_child() -> bool:
    """Whether foreign code has something to wait for."""
    try:
        return waitid(P_ALL, 0, WEXITED | WNOHANG | WNOWAIT) is not None
    except ChildProcessError:
        return False


def wait_as_twin(twin: Socket, fork: Fork) -> tuple[int, dict[str, Any]]:
    """Hold still until a rollback; return where this process, a worker then, says what."""
    saved = Saved(places)
    while True:
        request, pipe, more = receive(twin)
        answer = {"id": request["id"], "pid": getpid()}
        if request["op"] == "ping":
            send(twin, pipe, answer)
        elif leave_successor(fork):
            twin.close()
            dup2(more[0], CHANNEL, inheritable=False)  # what waits in the old one is not ours
            close(more[0])
            problem = put_back(saved)
            return pipe, {**answer, "error": problem} if problem else answer
        else:
            for fd in (pipe, *more):
                close(fd)


def put_back(saved: Saved) -> str:
    """Have files and directory as they were; return what went wrong, which ends nothing."""
    try:
        problems = saved.put_back()
    except Exception as error:
        return reason(error)
    return f"{problems[0][:ERROR_MAX]} ({len(problems)} in all)" if problems else ""


def leave_successor(fork: Fork) -> bool:
    """Have a copy wait in our place; without one this was the last time. False in that copy."""
    for _ in range(FORKS_MAX):
        try:
            return not fork_apart(fork)
        except OSError:
            sleep(0.01)
    return True


def checkpoint(channel: Socket, pipe: int, number: int, more: list[int], fork: Fork) -> None:
    """Leave a twin behind. Returns in the worker, and again in a worker made from the twin."""
    flush()
    answer: dict[str, Any] = {"id": number, "pid": 0}
    try:
        if not more:
            raise OSError(EMFILE, strerror(EMFILE))
        twin = own(Socket(fileno=more[0]))
        if fork_apart(fork):
            close(pipe)
            pipe, answer = wait_or_end(twin, fork)
        twin.close()
    except (OSError, MemoryError) as error:
        answer["error"] = reason(error)
    send(channel, pipe, answer)


def wait_or_end(twin: Socket, fork: Fork) -> tuple[int, dict[str, Any]]:
    """Wait as a twin; one that cannot says so when it is asked, and never comes back."""
    try:
        return wait_as_twin(twin, fork)
    except Closed:
        _exit(0)
    except BaseException as error:
        refuse_and_end(twin, error)


def refuse_and_end(twin: Socket, error: BaseException) -> NoReturn:
    """Give the reason to whoever asks for a twin, and end that."""
    try:
        request, pipe, _ = receive(twin)
        send(twin, pipe, {"id": request["id"], "error": reason(error)})
    finally:
        _exit(1)


def run(interpreter: units.Interpreter, request: dict[str, Any]) -> dict[str, Any]:
    """Run a source; return what came of it. It can be interrupted until that is written out."""
    answer = {"status": "error", "displays": [], "figures": [], "error": INTERRUPTED}
    try:
        interrupts.let_through()
        formats = tuple(request.get("formats", ("png",)))
        answer = interpreter.run(request["source"], formats, bool(request.get("plain")))
        flush()
        interrupts.hold()
    except KeyboardInterrupt:  # just before it, or just after
        interrupts.hold()
    return answer


def serve(fork: Fork) -> None:
    """Answer requests until the driver is gone."""
    interrupts.hold()
    channel = own(Socket(fileno=CHANNEL))
    interpreter = units.Interpreter(display=True)
    while True:
        try:
            request, pipe, more = receive(channel)
            number = request["id"]
            if request["op"] == "places":
                places[:] = request["paths"]
                send(channel, pipe, {"id": number, "pid": getpid()})
            elif request["op"] == "checkpoint":
                checkpoint(channel, pipe, number, more, fork)
            else:
                send(channel, pipe, {**run(interpreter, request), "id": number})
        except (Closed, OSError):
            _exit(0)
