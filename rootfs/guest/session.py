"""session - a cell that keeps its interpreter from call to call.

Theory of operation
===================

Descriptor 3 is a stream socket to whoever drives the session. Each way it carries frames: four
bytes of length (little-endian), then that many bytes of JSON. One request, one answer, with the
same "id":

    {"id", "op": "places", "paths"}              {"pid"}; first of all: which directories are file
                                                 systems of the session's own, in memory
    {"id", "op": "run", "source", "formats"}     what units.Interpreter.run() returns; "plain"
                                                 is for who shows text only
    {"id", "op": "checkpoint"}                   {"pid"}, and the socket of a twin comes along, on
                                                 which that says {"pid"} when it has the files
    to a twin: {"id", "op": "ping"}              {"pid"} of the twin, on its socket
    to a twin: {"id", "op": "rollback"}          {"pid"} of the twin's own twin, on the twin's
                                                 socket; {"pid"} of the new worker on descriptor 3
    {"id", "op": "branch"} and descriptors       {"pid": 0}; on the branch's own socket
                                                 {"id": 0, "pid"}, and, after {"op": "enter"}
                                                 with the descriptors of the namespaces, the
                                                 same from within

Instead, or beside it, there is "error" where something failed: then the session goes on without.

A checkpoint is a fork that waits: the twin has the interpreter as it was, and reads what is in
those places into its memory (savedstate.py). To roll back, the driver asks whether the twin is
still there, kills everything else, and the twin forks once more: the copy goes on waiting in its
place, the twin puts the files back and becomes the worker.

A branch is a fork that moves into namespaces of its own and goes on there, with the files of
those places (runtime/inside/branch.h). Foreign code runs in this very process and could
do all of that by itself: nothing here is a boundary, and the driver believes nothing. But what
honest code replaces (json.dumps, os.fork) or sets (socket.setdefaulttimeout) is not to end its
session: like display.py this file binds what it uses before that code comes.
"""

from __future__ import annotations

import builtins

__builtins__ = dict(vars(builtins))  # of the functions below; from here on nobody else's

import sys
from _socket import socket as Socket
from _socket import socketpair
from array import array
from collections.abc import Callable
from errno import EMFILE
from os import (
    P_ALL,
    WEXITED,
    WNOHANG,
    WNOWAIT,
    _exit,
    close,
    dup,
    dup2,
    fork,
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
    DESCRIPTORS_MAX,
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
places: list[str] = []  # whose files a checkpoint has, and a branch
FORKS_MAX = 500  # tries, 10 ms apart: what was killed counts until it has been reaped


def flush() -> None:
    """Write out what the call printed: the answer must come after it."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:  # foreign code may have put anything there
            pass


def fork_apart(moves: Moves) -> bool:
    """Fork, but not a child of this process: foreign code waits for its own. True in the copy."""
    handler = getsignal(SIGCHLD)
    if not callable(handler):
        return fork_or_raise(moves)
    signal(SIGCHLD, SIG_DFL)  # for the end of the process in between there is nothing to wait for
    try:
        return fork_or_raise(moves)
    finally:
        signal(SIGCHLD, handler)
        if has_ended_child():
            raise_signal(SIGCHLD)


def fork_or_raise(moves: Moves) -> bool:
    """Fork apart; True in the copy."""
    done = moves.fork_apart()
    if done < 0:
        raise OSError(-done, strerror(-done))
    return done == 0


def has_ended_child() -> bool:
    """Whether foreign code has something to wait for."""
    try:
        return waitid(P_ALL, 0, WEXITED | WNOHANG | WNOWAIT) is not None
    except ChildProcessError:
        return False


def wait_as_twin(twin: Socket, moves: Moves) -> dict[str, Any]:
    """Hold still until a rollback; return what the worker, which this process is then, says."""
    saved = Saved(places)
    send(twin, {"id": 0, "pid": getpid()})
    while True:
        request = receive(twin)
        answer = {"id": request["id"], "pid": getpid()}
        if request["op"] == "ping":
            send(twin, answer)
        elif leave_successor(twin, request["id"], moves):
            twin.close()
            problem = put_back(saved)
            return {**answer, "error": problem} if problem else answer


def put_back(saved: Saved) -> str:
    """Have files and directory as they were; return what went wrong, which ends nothing."""
    try:
        problems = saved.put_back()
    except Exception as error:
        return reason(error)
    return f"{problems[0][:ERROR_MAX]} ({len(problems)} in all)" if problems else ""


def leave_successor(twin: Socket, number: int, moves: Moves) -> bool:
    """Have a copy wait in our place. False in that copy."""
    is_successor = None
    for _ in range(FORKS_MAX):
        try:
            is_successor = fork_apart(moves)
            break
        except OSError:
            sleep(0.01)
    if is_successor:
        send(twin, {"id": number, "pid": getpid()})
        return False
    if is_successor is None:  # this was the last time: nobody will answer at the twin's socket
        send(twin, {"id": number, "pid": 1})
    return True


def checkpoint(channel: Socket, number: int, moves: Moves) -> None:
    """Leave a twin behind. Returns in the worker, and again in a worker made from the twin."""
    flush()
    try:
        ours, theirs = map(own, socketpair())
        if fork_apart(moves):
            theirs.close()
            send(channel, wait_or_end(ours, moves))
            return
    except (OSError, MemoryError) as error:
        send(channel, {"id": number, "pid": 0, "error": reason(error)})
        return
    ours.close()
    send(channel, {"id": number, "pid": 0}, theirs.fileno())
    theirs.close()


def wait_or_end(twin: Socket, moves: Moves) -> dict[str, Any]:
    """Wait as a twin; one that cannot says so, and never comes back."""
    try:
        return wait_as_twin(twin, moves)
    except Closed:
        _exit(0)
    except BaseException as error:
        say_and_end(twin, error)


def say_and_end(channel: Socket, error: BaseException) -> NoReturn:
    """Give the reason to whoever waits for a copy, and end that."""
    try:
        send(channel, {"id": 0, "error": reason(error)})
    finally:
        _exit(1)


class Moves:
    """What it takes to be copied and to enter a branch: cell.so's, and new random numbers."""

    def __init__(
        self,
        fork_apart: Callable[[], int],
        enter: Callable[..., int],
        settle: Callable[[int], int],
        reseed: Callable[[], None],
    ) -> None:
        self.fork_apart = fork_apart
        self.enter = enter
        self.settle = settle
        self.reseed = reseed


def branch(channel: Socket, number: int, descriptors: list[int], moves: Moves) -> Socket:
    """Make a copy that moves away. Returns in the worker, and in the branch's with its channel."""
    flush()
    answer: dict[str, Any] = {"id": number, "pid": 0}
    try:
        if len(descriptors) != 3:
            raise OSError(EMFILE, strerror(EMFILE))
        ready, ours = map(own, socketpair())
        if fork() == 0:
            ready.close()
            return move_or_end(channel, descriptors, moves, ours)
        ours.close()
        ready.recv(1)  # it has the files; two that open up directories would see each other do it
        ready.close()
    except (OSError, MemoryError) as error:
        answer["error"] = reason(error)
    for fd in descriptors:
        close(fd)
    send(channel, answer)
    return channel


def move_or_end(
    channel: Socket, descriptors: list[int], moves: Moves, ready: Socket
) -> Socket:
    """Move; nothing of a copy that cannot may come back into the old place."""
    link = own(Socket(fileno=descriptors[-1]))
    try:
        saved = Saved(places)
        ready.send(b"1")
        ready.close()
        make_room()
        return move(channel, descriptors, link, moves, saved)
    except BaseException as error:
        say_and_end(link, error)


def make_room() -> None:
    """Raise if there are too many descriptors to take those of the namespaces."""
    for fd in [dup(CHANNEL) for _ in range(DESCRIPTORS_MAX)]:
        close(fd)


def move(
    channel: Socket, descriptors: list[int], link: Socket, moves: Moves, saved: Saved
) -> Socket:
    """Enter the branch. Returns in its worker only."""
    send(link, {"id": 0, "pid": getpid()})  # the kernel says who sends it
    entry: list[int] = []
    receive(link, entry)
    *namespaces, root = entry
    numbers = array("i", namespaces)
    if moves.enter(numbers.buffer_info()[0]) < 0 or fork():
        _exit(0)
    if moves.settle(root) < 0:
        _exit(1)
    saved.move()
    channel.detach()
    out, err, _ = descriptors
    for fd, place in ((out, 1), (err, 2), (link.fileno(), CHANNEL)):
        dup2(fd, place, inheritable=place != CHANNEL)
    link.close()
    for fd in (out, err, *entry):
        close(fd)
    moves.reseed()
    channel = own(Socket(fileno=CHANNEL))
    send(channel, {"id": 0, "pid": getpid()})
    return channel


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


def serve(moves: Moves) -> None:
    """Answer requests until the driver is gone."""
    interrupts.hold()
    channel = own(Socket(fileno=CHANNEL))
    interpreter = units.Interpreter(display=True)
    descriptors: list[int] = []
    send(channel, {"id": 0, "pid": getpid()})
    while True:
        try:
            request = receive(channel, descriptors)
            number = request["id"]
            if request["op"] == "places":
                places[:] = request["paths"]
                send(channel, {"id": number, "pid": getpid()})
                continue
            if request["op"] == "checkpoint":
                checkpoint(channel, number, moves)
                continue
            if request["op"] == "branch":
                channel = branch(channel, number, descriptors, moves)
                continue
            send(channel, {**run(interpreter, request), "id": number})
        except (Closed, OSError):
            _exit(0)
