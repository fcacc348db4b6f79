"""live - what a source displays, clears and asks reaches its client while it runs.

A request that is "live" brings a pipe for events and, if the client can be asked, one for its replies. An
event is a frame, as an answer is (sessionframes.py); behind it stands a mark in standard output, at the
event's place among what is printed:

    {"display": bundle, "id", "update": true}   display() and its like; an "id" may be updated later
    {"clear": bool}                             clear_output(); true: when something follows
    {"page": bundle}                            what `name?` shows
    {"ask": text, "hidden": bool}               input(), getpass(): the reply is one line of JSON,
                                                a text or null, if the client cannot send it

"unplaced": true says that no mark follows, because foreign code has closed standard output.

Like display.py this runs beside foreign code, and binds what it uses before that comes.
"""

from __future__ import annotations

import builtins

__builtins__ = dict(vars(builtins))  # of the functions below; from here on only theirs

import sys
from _thread import get_ident
from collections.abc import Callable
from os import close, getpid, read, write
from select import POLLIN, poll
from struct import pack
from types import ModuleType
from typing import Any

from display import cut
from sessionframes import Room, decode, encode, interrupts, without_nul
from show import PATCHES

EVENT_MAX = 48 << 20  # bytes of one frame
ASKED_MAX = 10_000  # characters of a question


class StdinNotImplementedError(NotImplementedError):
    """The client cannot be asked."""

    __module__ = "IPython.core.error"  # as code that catches it knows it


class Live:
    """The client of the source that runs."""

    def __init__(self, pipes: list[int], place: Callable[[], None], placeable: Callable[[], bool]) -> None:
        """Take the pipes: of events and, perhaps, of replies. `place` writes a mark, if it is `placeable`."""
        self._events, *self._replies = pipes
        self._place = place
        self._is_placeable = placeable
        self._process = getpid()
        self._thread = get_ident()

    def begin(self) -> None:
        """Have input() and getpass() ask the client; getpass may be imported while the source runs."""
        clients[:] = [self]
        builtins.input = ask
        PATCHES["getpass"] = patch
        if "getpass" in sys.modules:
            patch(sys.modules["getpass"])

    def end(self) -> None:
        """Close the pipes. Code that has kept input() asks the next client."""
        clients.clear()
        for fd in (self._events, *self._replies):
            try:
                close(fd)
            except OSError:  # a source has closed it
                pass
        self._events, self._replies = -1, []

    def tell(self, event: dict[str, Any]) -> None:
        """Send an event: whole, or an interrupt would leave half a frame. A forked process sends none."""
        if getpid() != self._process:
            return
        is_interruptible = get_ident() == self._thread
        if is_interruptible:
            interrupts.hold()
        try:
            self._send(event)
        finally:
            if is_interruptible:
                interrupts.let_through()

    def _send(self, event: dict[str, Any]) -> None:
        placed = self._is_placeable()
        text = self._written(event if placed else {**event, "unplaced": True})
        rest = memoryview(pack("<I", len(text)) + text)
        try:
            while rest:
                rest = rest[write(self._events, rest) :]
        except OSError:  # the client has gone, or foreign code has closed it
            return
        if placed:
            self._place()

    def _written(self, event: dict[str, Any]) -> bytes:
        """Return an event as JSON, without what would make it too large."""
        text = without_nul(encode(event))
        if len(text) > EVENT_MAX:
            text = without_nul(encode({**event, "display": Room(EVENT_MAX // 2).fitting(event["display"], EVENT_MAX // 2)}))
        return text.encode()

    def ask(self, prompt: str, hidden: bool) -> str:
        """Return the client's reply to a question."""
        if not self._replies or getpid() != self._process:
            raise StdinNotImplementedError("input() was called, but this frontend does not support input requests.")
        while self._has_reply():  # to a question that was interrupted
            read(self._replies[0], 65536)
        self.tell({"ask": cut(prompt, ASKED_MAX), "hidden": hidden})
        reply = decode(self._line().decode())
        if type(reply) is not str:
            raise EOFError("the reply was too long")
        return reply

    def _has_reply(self) -> bool:
        ready = poll()
        ready.register(self._replies[0], POLLIN)
        return any(events & POLLIN for _, events in ready.poll(0))

    def _line(self) -> bytes:
        """Return one line of the client's."""
        parts = []
        while not parts or not parts[-1].endswith(b"\n"):
            part = read(self._replies[0], 65536)
            if not part:
                raise EOFError("the client has gone")
            parts.append(part)
        return b"".join(parts)


# -- what code calls, whichever client there is ----------------------------------------------

clients: list[Live] = []  # one, while a source runs for it
_input = builtins.input
_getpass: list[Callable[..., str]] = []  # that of the module


def ask(prompt: object = "", /) -> str:
    """Do what input() does."""
    return clients[0].ask(str(prompt), False) if clients else _input(prompt)


def ask_hidden(prompt: object = "Password: ", *arguments: object, **options: object) -> str:
    """Do what getpass.getpass() does."""
    return clients[0].ask(str(prompt), True) if clients else _getpass[0](prompt, *arguments, **options)


def patch(module: ModuleType) -> None:
    """Have getpass.getpass() ask."""
    if module.getpass is not ask_hidden:  # type: ignore[attr-defined]
        _getpass[:] = [module.getpass]  # type: ignore[attr-defined]
        module.getpass = ask_hidden  # type: ignore[attr-defined]
