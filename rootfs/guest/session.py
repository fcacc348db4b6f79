"""session - a cell that keeps its interpreter from call to call.

Theory of operation
===================

Descriptor 3 is a stream socket on which the session's driver sends requests, and on which nothing
can be sent back. Each brings the pipe for its answer; both are frames: four bytes of length
(little-endian), then that many bytes of JSON. One request, one answer, with the same "id":

    {"id", "op": "places", "paths"}              {"pid"}; comes first: the directories that are
                                                 file systems of the session's own, in memory;
                                                 {"error"} if such a session cannot begin
        "unsaved"                                the same: why there can be no checkpoint
    {"id", "op": "run", "source", "formats"}     what units.Interpreter.run() returns; "plain"
                                                 is for callers that show text only; with
                                                 "marks", standard output has a mark where each
                                                 of the displays stands (display_marks.h).
                                                 "answer_max": bytes; what is more is cut, and
                                                 the answer has "truncated": true
        "typed", perhaps with a pipe             the same, or {"status": "unfinished"}: it wants
                                                 more lines. The pipe is its standard input
        "context"                                a name: the source has names of its own, and a working
                                                 directory, beside those of other contexts; "fresh": true
                                                 begins it anew, "cwd" is where it begins
        "json"                                   true: a list or dict as value is there as JSON, too
        "env"                                    variables of the environment, for this source only
        "live": true, and one or two pipes       what is displayed and asked goes through them at once (live.py)
        "expressions"                            {name: source}: evaluated after it; the answer has
                                                 "expressions": {name: a result}, unless it failed
    {"id", "op": "complete", "text"}             {"matches"}: how a name could go on
    {"id", "op": "look", "what", ...}            what an editor wants to know (look.py), of a "source" and
                                                 a "cursor" in characters: "completions", "inspection"
                                                 with "detail", "state"; "version": {"version"} of Python
    {"id", "op": "ping"}                         {"pid"}; it is idle, and all is written out
    {"id", "op": "checkpoint"} and a socket      {"pid"}; a checkpoint has the socket from then on;
        and, if there are any,                   "threads": [{"name", "count", "remade"}]; "ends": those
                                                 of them that a rollback ends for good, in words
    to a checkpoint: {"id", "op": "ping"}              {"pid"} of the checkpoint, when it has the files;
                                                       "ends", if there are such threads
    to a checkpoint: {"id", "op": "rollback"} and      {"pid"} of the new program, whose channel that is;
        a socket                                 the checkpoint's own copy has its socket from then on

An answer has "error", alone or beside these, if something failed; the session continues then.

A checkpoint is a fork that waits: it has the interpreter as it was, and reads the files in those
directories into its memory (savedstate.py). To roll back, the driver asks whether the checkpoint is
still alive, kills everything else, and the checkpoint forks once more: the copy continues to wait in
its place, and the checkpoint restores the files and becomes the session's program.

Foreign code runs in this very process and could do all of that by itself: nothing here is a
boundary, and the driver trusts nothing. But what honest code replaces (json.dumps, os.fork) or
sets (socket.setdefaulttimeout) must not end its session: like display.py this file binds what it
uses before that code comes.
"""

from __future__ import annotations

import builtins

__builtins__ = dict(vars(builtins))  # of the functions below; from here on only theirs

import sys
from _socket import socket as Socket
from collections.abc import Callable
from errno import EMFILE
from fcntl import F_DUPFD_CLOEXEC, fcntl
from os import (
    P_ALL,
    WEXITED,
    WNOHANG,
    WNOWAIT,
    _exit,
    close,
    dup,
    dup2,
    fstat,
    getpid,
    setpgid,
    strerror,
    waitid,
)
from select import POLLOUT, poll
from signal import SIG_DFL, SIGCHLD, getsignal, raise_signal, signal
from time import sleep
from typing import Any, NoReturn

import live
import look
import prompt
import sessionframes
import streams
import units
from contexts import Contexts, add_json, set_variables
from lostthreads import Threads
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

units.hide(live, sessionframes)

CHANNEL = 3
OUTPUT = 200  # the least number of the descriptor of output
places: list[str] = []  # the directories whose files a checkpoint saves
unsaved = ""  # why none can be made
unfit = ""  # why the session cannot begin
output: tuple[streams.Raw, tuple[int, int]]  # standard output, wherever foreign code has descriptor 1 lead
Fork = Callable[[], int]  # cell_fork_apart() of cell.so
FORKS_MAX = 500  # tries, 10 ms apart: a killed process counts until it has been reaped


def flush(interrupted: bool = False) -> None:
    """Write out what the call printed to a stream of its own: the answer must come after it.

    Who has interrupted it may not be reading: then what does not fit stays for the next call.
    """
    for fd, stream in ((1, sys.stdout), (2, sys.stderr)):
        try:
            if not interrupted or has_room(fd):
                stream.flush()
        except Exception:  # foreign code may have put anything there
            pass


def has_room(fd: int) -> bool:
    """Whether a pipe takes a page at once."""
    room = poll()
    room.register(fd, POLLOUT)
    return bool(room.poll(0))


def fork_apart(fork: Fork) -> bool:
    """Fork, but not as a child of this process, since foreign code waits for its own. True in the copy."""
    handler = getsignal(SIGCHLD)
    if not callable(handler):
        return fork_or_raise(fork)
    signal(SIGCHLD, SIG_DFL)  # the process in between must not be waited for
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
    """Whether foreign code has a child to wait for."""
    try:
        return waitid(P_ALL, 0, WEXITED | WNOHANG | WNOWAIT) is not None
    except ChildProcessError:
        return False


def wait_as_checkpoint(checkpoint: Socket, fork: Fork, threads: Threads) -> tuple[int, dict[str, Any]]:
    """Wait until a rollback; return in the process that is the session's program then."""
    saved = Saved(places)
    while True:
        request, pipe, more = receive(checkpoint)
        answer = {"id": request["id"], "pid": getpid()}
        if request["op"] == "ping":
            send(checkpoint, pipe, {**answer, **threads.ends()})
        elif leave_successor(fork):
            checkpoint.close()
            dup2(more[0], CHANNEL, inheritable=False)  # requests in the old one are not ours
            close(more[0])
            begin_group()
            problem = put_back(saved)
            threads.mend()
            return pipe, {**answer, "error": problem} if problem else answer
        else:
            for fd in (pipe, *more):
                close(fd)


def begin_group() -> None:
    """Be what the first program was: the leader of a process group, whose streams are written through."""
    setpgid(0, 0)  # an interrupt goes to the group (inside/init.c)
    streams.write_through()


def put_back(saved: Saved) -> str:
    """Restore files and directory; return what went wrong, which ends nothing."""
    try:
        problems = saved.put_back()
    except Exception as error:
        return reason(error)
    return f"{problems[0][:ERROR_MAX]} ({len(problems)} in all)" if problems else ""


def leave_successor(fork: Fork) -> bool:
    """Leave a copy that waits in our place; without one, this was the last rollback. False in that copy."""
    for _ in range(FORKS_MAX):
        try:
            return not fork_apart(fork)
        except OSError:
            sleep(0.01)
    return True


def checkpoint(channel: Socket, pipe: int, number: int, more: list[int], fork: Fork) -> None:
    """Leave a checkpoint behind. Returns in the program, and again in one made from the checkpoint."""
    flush()
    answer: dict[str, Any] = {"id": number, "pid": 0}
    try:
        if unsaved:
            raise OSError(unsaved)
        if not more:
            raise OSError(EMFILE, strerror(EMFILE))
        checkpoint = own(Socket(fileno=more[0]))
        threads = Threads()
        if fork_apart(fork):
            close(pipe)
            pipe, answer = wait_or_end(checkpoint, fork, threads)
        else:
            answer.update(threads.told())
        checkpoint.close()
    except (OSError, MemoryError) as error:
        answer["error"] = reason(error)
    send(channel, pipe, answer)


def wait_or_end(checkpoint: Socket, fork: Fork, threads: Threads) -> tuple[int, dict[str, Any]]:
    """Wait as a checkpoint; if that fails, answer requests with the reason and end."""
    try:
        return wait_as_checkpoint(checkpoint, fork, threads)
    except Closed:
        _exit(0)
    except BaseException as error:
        refuse_and_end(checkpoint, error)


def refuse_and_end(checkpoint: Socket, error: BaseException) -> NoReturn:
    """Give the reason to the one that asks for a checkpoint, and end that checkpoint."""
    try:
        request, pipe, _ = receive(checkpoint)
        send(checkpoint, pipe, {"id": request["id"], "error": reason(error)})
    finally:
        _exit(1)


def run(interpreter: units.Interpreter, request: dict[str, Any], more: list[int]) -> dict[str, Any]:
    """Run a source; return its result. It can be interrupted until that is written out."""
    answer = {"status": "error", "displays": [], "figures": [], "error": INTERRUPTED}
    stdin = prompt.Input()
    client = live.Live(more, *marker(request)) if request.get("live") else None
    try:
        interrupts.let_through()
        if client:
            client.begin()
        elif more:
            stdin.lend(more.pop())
        answer = interpreted(interpreter, request, client)
        flush(answer.get("error", {}).get("name") == "KeyboardInterrupt")
        interrupts.hold()
    except KeyboardInterrupt:  # just before or just after it
        interrupts.hold()
    finally:
        stdin.take_back()
        if client:
            client.end()
    return answer


def interpreted(interpreter: units.Interpreter, request: dict[str, Any], client: live.Live | None) -> dict[str, Any]:
    """Run a source unless it is typed and wants more lines."""
    plain = bool(request.get("plain"))
    if request.get("typed") and prompt.is_unfinished(request["source"], interpreter.flags):
        return {"status": "unfinished"}
    before = set_variables(request.get("env", {}))
    try:
        place = marker(request)[0] if request.get("marks") else None
        answer = interpreter.run(request["source"], request.get("formats"), plain, place, client)
        if request.get("expressions") and answer["status"] == "ok":
            answer["expressions"] = interpreter.evaluate(request["expressions"])
        if request.get("json") and "value" in answer:
            add_json(answer["value"], interpreter.last)
        return answer
    finally:
        set_variables(before)


def marker(request: dict[str, Any]) -> tuple[Callable[[], None], Callable[[], bool]]:
    """Return what marks the place of a display in standard output, and whether that can be marked."""
    mark = b"\x1edisplay-%08x" % request["id"]
    process = getpid()

    def placeable() -> bool:
        raw, identity = output
        try:
            return getpid() == process and identity_of(raw.fileno()) == identity  # what a child displays goes nowhere
        except OSError:  # foreign code has closed it
            return False

    def place() -> None:
        try:
            if placeable():
                output[0].write(mark)
        except OSError:  # foreign code has closed it meanwhile
            pass

    return place, placeable


def kept_output() -> tuple[streams.Raw, tuple[int, int]]:
    """Return standard output under a number that foreign code hardly uses, and how to know it again."""
    try:
        fd = fcntl(1, F_DUPFD_CLOEXEC, OUTPUT)
    except OSError:  # so many are not allowed
        fd = dup(1)
    return streams.Raw(fd, "w"), identity_of(fd)


def identity_of(fd: int) -> tuple[int, int]:
    """Return what tells an open file from others."""
    seen = fstat(fd)
    return seen.st_dev, seen.st_ino


def looked(interpreter: units.Interpreter, request: dict[str, Any]) -> dict[str, Any]:
    """Return what somebody who types wants to know. Looking may run foreign code, which can be interrupted."""
    found: dict[str, Any] = {}
    try:
        try:
            interrupts.let_through()
            found = LOOKS[request.get("what", "names")](interpreter, request)
        except BaseException:  # whatever a property raises
            pass
        interrupts.hold()
    except KeyboardInterrupt:  # just after it
        interrupts.hold()
    return found


def cursor_of(request: dict[str, Any]) -> int:
    """Return the place of the cursor, by default the end."""
    return request.get("cursor", len(request["source"]))


LOOKS: dict[str, Callable[[units.Interpreter, dict[str, Any]], dict[str, Any]]] = {
    "names": lambda i, r: {"matches": prompt.matches(r["text"], i.namespace)},
    "completions": lambda i, r: look.completions(r["source"], cursor_of(r), i.namespace),
    "inspection": lambda i, r: look.inspection(r["source"], cursor_of(r), i.namespace, r["detail"]),
    "state": lambda i, r: look.state(r["source"], i.flags),
    "version": lambda _i, _r: {"version": sys.version.split()[0]},
}


def begin(request: dict[str, Any]) -> None:
    """Take what the driver says of this session's files."""
    global unsaved
    places[:] = request["paths"]
    unsaved = request.get("unsaved", "")


def serve(fork: Fork) -> None:
    """Answer requests until the driver is gone."""
    global output
    interrupts.hold()
    streams.write_through()
    output = kept_output()
    channel = own(Socket(fileno=CHANNEL))
    contexts = Contexts()
    while True:
        try:
            request, pipe, more = receive(channel)
            number = request["id"]
            if request["op"] == "places":
                begin(request)
                send(channel, pipe, {"id": number, **({"error": unfit} if unfit else {"pid": getpid()})})
            elif request["op"] == "checkpoint":
                checkpoint(channel, pipe, number, more, fork)
            elif request["op"] == "ping":
                flush()
                send(channel, pipe, {"id": number, "pid": getpid()})
            elif request["op"] in ("complete", "look"):
                send(channel, pipe, {**looked(contexts.first, request), "id": number})
            else:
                result = run(contexts.choose(request), request, more)
                send(channel, pipe, {**result, "id": number}, request.get("answer_max"))
        except (Closed, OSError):
            _exit(0)
