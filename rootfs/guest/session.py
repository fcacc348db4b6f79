"""session - a cell that keeps its interpreter from call to call.

Theory of operation
===================

Descriptor 3 is a stream socket to whoever drives the session. Each way it carries frames: four
bytes of length (little-endian), then that many bytes of JSON. One request, one answer, with the
same "id":

    {"id", "op": "run", "source", "formats"}     what units.Interpreter.run() returns
    {"id", "op": "checkpoint"}                   {"pid"} of a twin; its socket comes along
    to a twin: {"id", "op": "rollback"}          {"pid"} of the twin's own twin, on the twin's
                                                 socket; {"pid"} of the new worker on descriptor 3
    {"id", "op": "branch"} and descriptors       {"pid": 0}, and with "error" if there is no copy;
                                                 else on the branch's own socket {"id": 0, "pid"},
                                                 and, after {"op": "enter"} with the descriptors
                                                 of the namespaces, the same from within

A checkpoint is a fork that waits: the twin has the interpreter as it was, and reads what is in
/workspace into its memory. To roll back, the driver kills everything else, and the twin forks
once more: the child goes on waiting in its place, the parent restores the files and becomes the
worker.

A branch is a fork that moves into namespaces of its own and goes on there, with the files of
/workspace and /tmp (runtime/inside/branch.h). Foreign code runs in this very process and could
do all of that by itself: nothing here is a boundary, and the driver believes nothing.
"""

import array
import fcntl
import json
import os
import shutil
import socket
import stat
import struct
import sys
from collections.abc import Callable
from signal import SIGINT, getsignal, signal
from typing import Any

import units

CHANNEL = 3
WORKSPACE = "/workspace"
CARRIED = (WORKSPACE, "/tmp")  # into a branch
DESCRIPTORS_MAX = 16  # of one request
REQUEST_MAX = 64 << 20  # bytes of one frame


class Closed(Exception):
    """The driver is gone."""


class Interrupts:
    """SIGINT: it raises KeyboardInterrupt while a source runs; in between it is only noted.

    In the middle of a frame it would leave half of it behind. A handler does what a mask cannot:
    the signal may be taken by any thread that foreign code has started.
    """

    def __init__(self) -> None:
        self.noted = False
        self._foreign: Any = None  # the handler that a source knows
        self._handler = self._note  # one object

    def _note(self, *_: object) -> None:
        self.noted = True

    def hold(self) -> None:
        """From now on they are noted."""
        now = getsignal(SIGINT)
        if now is not None and now is not self._handler:  # None: of C's, nobody can put it back
            signal(SIGINT, self._handler)
            self._foreign = now

    def let_through(self) -> None:
        """Give the source its handler, and what came since its request."""
        if self._foreign is not None:
            signal(SIGINT, self._foreign)
            self._foreign = None
        if self.noted:
            raise KeyboardInterrupt


interrupts = Interrupts()
INTERRUPTED = {"name": "KeyboardInterrupt", "value": "", "traceback": ["KeyboardInterrupt\n"]}


def receive(channel: socket.socket, descriptors: list[int] | None = None) -> dict[str, Any]:
    """Return the next request; descriptors come along with its first byte."""
    first, sent, _, _ = socket.recv_fds(channel, 1, DESCRIPTORS_MAX)
    if not first:
        raise Closed
    interrupts.noted = False  # what came before this request was not meant for it
    for fd in sent:
        os.set_inheritable(fd, False)
    if descriptors is not None:
        descriptors[:] = sent
    (length,) = struct.unpack("<I", first + exactly(channel, 3))
    if length > REQUEST_MAX:
        raise Closed
    return json.loads(exactly(channel, length))


def exactly(channel: socket.socket, count: int) -> bytes:
    """Return that many bytes."""
    parts = []
    while count:
        part = channel.recv(min(count, 1 << 20))
        if not part:
            raise Closed
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def send(channel: socket.socket, answer: dict[str, Any], *descriptors: int) -> None:
    """Send one answer. No NUL: what reads it may end strings there."""
    text = json.dumps(answer).replace("\\u0000", "\\ufffd").encode()
    header = struct.pack("<I", len(text))
    if descriptors:
        socket.send_fds(channel, [header], list(descriptors))
    else:
        channel.sendall(header)
    channel.sendall(text)


class Tree:
    """The files below a directory, in memory: directories, regular files, links."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.entries: list[tuple[str, int, bytes]] = []
        for folder, folders, files in os.walk(root):
            for name in (*folders, *files):
                self._add(os.path.join(folder, name))

    def _add(self, path: str) -> None:
        mode = os.lstat(path).st_mode
        content = b""
        if stat.S_ISLNK(mode):
            content = os.fsencode(os.readlink(path))
        elif stat.S_ISREG(mode):
            with open(path, "rb") as file:
                content = file.read()
        elif not stat.S_ISDIR(mode):
            return  # a pipe or socket belongs to who made it
        self.entries.append((path, mode, content))

    def restore(self) -> None:
        """Put everything back as it was."""
        for name in os.listdir(self.root):
            path = os.path.join(self.root, name)
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path)
            else:
                os.unlink(path)
        for path, mode, content in self.entries:
            if stat.S_ISDIR(mode):
                os.mkdir(path)
            elif stat.S_ISLNK(mode):
                os.symlink(content, path)
                continue
            else:
                with open(path, "wb") as file:
                    file.write(content)
        for path, mode, _ in reversed(self.entries):
            if not stat.S_ISLNK(mode):
                os.chmod(path, stat.S_IMODE(mode))


def flush() -> None:
    """Write out what the call printed: the answer must come after it."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:  # foreign code may have put anything there
            pass


def wait_as_twin(channel: socket.socket, twin: socket.socket) -> int:
    """Hold still until a rollback; return its id in the process that is the worker then."""
    tree = Tree(WORKSPACE) if os.path.isdir(WORKSPACE) else None
    send(twin, {"pid": os.getpid()})
    while True:
        request = receive(twin)
        if os.fork() == 0:
            send(twin, {"id": request["id"], "pid": os.getpid()})
            continue
        twin.close()
        if tree:
            tree.restore()
        return request["id"]


def checkpoint(channel: socket.socket, number: int) -> None:
    """Leave a twin behind. Returns in the worker, and again in a worker made from the twin."""
    ours, theirs = socket.socketpair()
    flush()
    if os.fork() == 0:
        theirs.close()
        number = wait_as_twin(channel, ours)
        send(channel, {"id": number, "pid": os.getpid()})
        return
    ours.close()
    with theirs:
        send(channel, {"id": number, "pid": 0}, theirs.fileno())


class OpenFile:
    """A regular file that is open, by its name: a branch gets its own copy of it."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.path = os.readlink(f"/proc/self/fd/{fd}")
        self.flags = fcntl.fcntl(fd, fcntl.F_GETFL) & ~(os.O_CREAT | os.O_EXCL | os.O_TRUNC)
        self.inheritable = os.get_inheritable(fd)
        self.offset = os.lseek(fd, 0, os.SEEK_CUR)

    @classmethod
    def listed(cls) -> "list[OpenFile]":
        """Return those below what a branch takes along."""
        found = []
        for name in os.listdir("/proc/self/fd"):
            try:
                if stat.S_ISREG(os.fstat(int(name)).st_mode):
                    found.append(cls(int(name)))
            except OSError:
                continue  # the listing's own
        return [file for file in found if file.path.startswith(tuple(f"{p}/" for p in CARRIED))]

    def open_again(self) -> None:
        """Have the branch's file under the same number, at the same place."""
        try:
            fd = os.open(self.path, self.flags)
        except OSError:
            return  # it has no name any more: it stays shared with the other branches
        os.lseek(fd, self.offset, os.SEEK_SET)
        os.dup2(fd, self.fd, self.inheritable)
        os.close(fd)


class Moves:
    """What it takes to enter a branch: functions of cell.so, and new random numbers."""

    def __init__(self, enter: Callable[..., int], settle: Callable[[int], int], reseed: Callable[[], None]) -> None:
        self.enter = enter
        self.settle = settle
        self.reseed = reseed


def branch(channel: socket.socket, number: int, descriptors: list[int], moves: Moves) -> socket.socket:
    """Make a copy that moves away. Returns in the worker, and in that of the branch with its channel."""
    flush()
    answer: dict[str, Any] = {"id": number, "pid": 0}
    try:
        if os.fork() == 0:
            return move_or_end(channel, descriptors, moves)
    except (OSError, MemoryError) as error:
        answer["error"] = str(error)
    for fd in descriptors:
        os.close(fd)
    send(channel, answer)
    return channel


def move_or_end(channel: socket.socket, descriptors: list[int], moves: Moves) -> socket.socket:
    """Move; nothing of a copy that cannot may come back into the old place."""
    try:
        return move(channel, descriptors, moves)
    except BaseException:
        os._exit(1)


def move(channel: socket.socket, descriptors: list[int], moves: Moves) -> socket.socket:
    """Enter the branch. Returns in its worker only."""
    out, err, link = descriptors
    own = socket.socket(fileno=link)
    trees = [Tree(place) for place in CARRIED if os.path.isdir(place)]
    files = OpenFile.listed()
    folder = os.getcwd()
    send(own, {"id": 0, "pid": os.getpid()})  # the kernel says who sends it
    entry: list[int] = []
    receive(own, entry)
    *namespaces, root = entry
    numbers = array.array("i", namespaces)
    if moves.enter(numbers.buffer_info()[0]) < 0 or os.fork():
        os._exit(0)
    if moves.settle(root) < 0:
        os._exit(1)
    channel.detach()
    own.detach()
    for fd, place in ((out, 1), (err, 2), (link, CHANNEL)):
        os.dup2(fd, place, inheritable=place != CHANNEL)
    for fd in (*descriptors, *entry):
        os.close(fd)
    for tree in trees:
        tree.restore()
    for file in files:
        file.open_again()
    os.chdir(folder if os.path.isdir(folder) else WORKSPACE)
    moves.reseed()
    channel = socket.socket(fileno=CHANNEL)
    send(channel, {"id": 0, "pid": os.getpid()})
    return channel


def run(interpreter: units.Interpreter, request: dict[str, Any]) -> dict[str, Any]:
    """Run a source; return what came of it. It can be interrupted until that is written out."""
    answer = {"status": "error", "displays": [], "figures": [], "error": INTERRUPTED}
    try:
        interrupts.let_through()
        answer = interpreter.run(request["source"], tuple(request.get("formats", ("png",))))
        flush()
        interrupts.hold()
    except KeyboardInterrupt:  # just before it, or just after
        interrupts.hold()
    return answer


def serve(moves: Moves) -> None:
    """Answer requests until the driver is gone."""
    interrupts.hold()
    channel = socket.socket(fileno=CHANNEL)
    interpreter = units.Interpreter(display=True)
    descriptors: list[int] = []
    send(channel, {"id": 0, "pid": os.getpid()})
    while True:
        try:
            request = receive(channel, descriptors)
            number = request["id"]
            if request["op"] == "checkpoint":
                checkpoint(channel, number)
                continue
            if request["op"] == "branch":
                channel = branch(channel, number, descriptors, moves)
                continue
            send(channel, {**run(interpreter, request), "id": number})
        except (Closed, OSError):
            os._exit(0)
