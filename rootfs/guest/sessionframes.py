"""sessionframes - the messages between a session and its driver, and when it may be interrupted.

Four bytes of length (little-endian), then that many bytes of JSON (session.py). Requests come
through a socket, descriptors with them; an answer goes into the pipe that its request brought.

Like display.py this runs beside foreign code, and binds what it uses before that comes.
"""

from __future__ import annotations

import builtins

__builtins__ = dict(vars(builtins))  # of the functions below; from here on only theirs

from _socket import socket as Socket
from fcntl import F_DUPFD_CLOEXEC, fcntl
from json import JSONDecoder, JSONEncoder
from os import close, dup2, set_inheritable, write
from signal import SIGINT, getsignal, signal
from socket import recv_fds
from struct import pack, unpack
from typing import Any

from display import cut

DESCRIPTORS_MAX = 4  # of one request
LEAST = 4  # above the standard streams and the channel, any of which a source may have closed
REQUEST_MAX = 64 << 20  # bytes of one frame
ERROR_MAX = 200  # characters of a reason
CHARACTER = 12  # bytes of JSON that one may take
PART = 8  # of an answer that was cut: what one text may have of it
KEYS = 200  # bytes of the names in an answer
BUNDLES = ("displays", "figures")

encode = JSONEncoder(separators=(",", ":")).encode  # as our own JSON is written
decode = JSONDecoder().decode


class Closed(Exception):
    """The driver is gone."""


class Interrupts:
    """SIGINT: it raises KeyboardInterrupt while a source runs; in between it is only noted.

    In the middle of a frame it would leave half of it behind. A handler does what a mask cannot do:
    any thread that foreign code has started may take the signal.
    """

    def __init__(self) -> None:
        self.noted = False
        self._foreign: Any = None  # the handler that a source has set
        self._handler = self._note  # one object, to compare with

    def _note(self, *_: object) -> None:
        self.noted = True

    def hold(self) -> None:
        """From now on they are only noted."""
        now = getsignal(SIGINT)
        if now is not None and now is not self._handler:  # None: set by C code, which cannot be restored
            signal(SIGINT, self._handler)
            self._foreign = now

    def let_through(self) -> None:
        """Restore the source's handler, and deliver what came since its request."""
        if self._foreign is not None:
            signal(SIGINT, self._foreign)
            self._foreign = None
        if self.noted:
            raise KeyboardInterrupt


interrupts = Interrupts()
INTERRUPTED = {"name": "KeyboardInterrupt", "value": "", "traceback": ["KeyboardInterrupt\n"]}


class Place:
    """A number for the pipe of the next answer, however many descriptors a source has left open."""

    def __init__(self) -> None:
        self.taken = -1

    def free(self) -> None:
        """Free it for the next request."""
        if self.taken >= 0:
            close(self.taken)
            self.taken = -1

    def take(self, answer: int, filler: int) -> None:
        """Close the pipe of an answer, and keep the number."""
        if self.taken >= 0:
            close(answer)
            return
        dup2(filler, answer, inheritable=False)
        self.taken = answer


place = Place()


def receive(channel: Socket) -> tuple[dict[str, Any], int, list[int]]:
    """Return the next request, the pipe for its answer, and the descriptors that came with it."""
    place.free()
    first, sent, _, _ = recv_fds(channel, 1, DESCRIPTORS_MAX)
    if not first or not sent:
        raise Closed
    interrupts.noted = False  # what came before this request was not meant for it
    sent = [kept(fd) for fd in sent]
    (length,) = unpack("<I", first + exactly(channel, 3))
    if length > REQUEST_MAX:
        raise Closed
    return decode(exactly(channel, length).decode()), sent[0], sent[1:]


def kept(fd: int) -> int:
    """Return a descriptor at a high number, which no program inherits."""
    if fd >= LEAST:
        set_inheritable(fd, False)
        return fd
    moved = fcntl(fd, F_DUPFD_CLOEXEC, LEAST)
    close(fd)
    return moved


def exactly(channel: Socket, count: int) -> bytes:
    """Return that many bytes."""
    parts = []
    while count:
        part = channel.recv(min(count, 1 << 20))
        if not part:
            raise Closed
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def send(channel: Socket, pipe: int, answer: dict[str, Any], most: int | None = None) -> None:
    """Send the one answer of a request. No NUL: what reads it may end strings there.

    most  bytes that it may have; None: any
    """
    whole = encode(answer)
    if most is not None and len(whole) > most:
        whole = encode(shortened(answer, most))
    text = without_nul(whole).encode()
    rest = memoryview(pack("<I", len(text)) + text)
    try:
        while rest:
            rest = rest[write(pipe, rest) :]
    except BrokenPipeError:
        pass  # who asked has vanished; the session goes on
    place.take(pipe, channel.fileno())


def shortened(answer: dict[str, Any], most: int) -> dict[str, Any]:
    """Return what of a result fits in so many bytes: errors, values, and bundles in their order."""
    kept = {name: part for name, part in answer.items() if type(part) in (str, int)}
    kept["truncated"] = True
    room = Room(most - KEYS)
    if "error" in answer:
        kept["error"] = shortened_error(answer["error"], most // PART)
        room.take(kept["error"])
    if "value" in answer:
        kept["value"] = room.fitting(answer["value"], most // PART)
    for name in BUNDLES:
        found = [room.fitting(bundle, most // PART) for bundle in answer.get(name, ())]
        kept[name] = [bundle for bundle in found if bundle is not None]
    return kept


def shortened_error(error: dict[str, Any], most: int) -> dict[str, Any]:
    """Return an error whose texts are cut: of the traceback the last lines stay."""
    room = Room(most)
    characters = most // CHARACTER
    lines = [cut(line, characters) for line in error["traceback"]]
    last = next((i for i in range(len(lines)) if not room.take(lines[-1 - i])), len(lines))
    texts = {name: cut(error[name], characters) for name in ("name", "value")}
    return {**texts, "traceback": lines[len(lines) - last :]}


class Room:
    """Bytes of JSON that are left."""

    def __init__(self, left: int) -> None:
        self.left = left

    def take(self, part: object) -> bool:
        """Take what a part needs, if that is there."""
        size = len(encode(part)) + 1
        if size > self.left:
            return False
        self.left -= size
        return True

    def fitting(self, bundle: dict[str, str], most: int) -> dict[str, str] | None:
        """Take a bundle or, if that is too large, its text; None: not even that fits."""
        if sum(map(len, bundle.values())) <= self.left and self.take(bundle):
            return bundle
        text = cut(bundle.get("text/plain", ""), most // CHARACTER)
        less = {"text/plain": text, "dropped": "all else: the answer is too large"}
        return less if self.take(less) else None


def without_nul(text: str) -> str:
    """Return JSON in which each NUL is a replacement character."""
    if "\\u0000" not in text:
        return text
    # After an escaped backslash it is not a NUL.
    return "\\\\".join(part.replace("\\u0000", "\\ufffd") for part in text.split("\\\\"))


def own(channel: Socket) -> Socket:
    """Return a socket without the default timeout that foreign code may have set."""
    channel.settimeout(None)
    return channel


def reason(error: BaseException) -> str:
    """Return what went wrong, on one line."""
    text = str(error) or type(error).__name__
    return "".join(c if c.isprintable() else "?" for c in text[:ERROR_MAX])
