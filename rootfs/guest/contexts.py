"""contexts - the interpreters of a session, by name, and variables for one source.

A context has names of its own, and a working directory; modules, threads and the environment are
the session's. Foreign code runs in this very process: nothing here is a boundary.
"""

from __future__ import annotations

import builtins

__builtins__ = dict(vars(builtins))  # of the functions below; from here on only theirs

from json import dumps
from os import chdir, environ, getcwd
from typing import Any

import units

JSON_MAX = 1 << 20  # characters


def set_variables(wanted: dict[str, str | None]) -> dict[str, str | None]:
    """Set variables of the environment, or unset them (None); return what they were."""
    before: dict[str, str | None] = {}
    try:
        for name, value in wanted.items():
            before[name] = environ.get(name)
            if value is None:
                environ.pop(name, None)
            else:
                environ[name] = value
    except Exception:  # foreign code has replaced the mapping's functions
        pass
    return before


def add_json(bundle: dict[str, str], value: object) -> None:
    """Add a list or a dict as JSON, if it can be written so."""
    if type(value) not in (list, dict):
        return
    try:
        text = dumps(value, allow_nan=False)
    except Exception:  # it has other values, refers to itself, or changes meanwhile
        return
    if len(text) <= JSON_MAX:
        bundle["application/json"] = text


class Contexts:
    """Interpreters by name, of which the one without a name is there from the beginning."""

    def __init__(self) -> None:
        self._current = ""
        self._start = getcwd()
        self._known = {"": units.Interpreter(display=True)}
        self._places: dict[str, str] = {}

    @property
    def first(self) -> units.Interpreter:
        """The one of a prompt."""
        return self._known[""]

    def choose(self, request: dict[str, Any]) -> units.Interpreter:
        """Return the one that a request names, in its working directory."""
        name = request.get("context", "")
        if name == self._current and not request.get("fresh"):
            return self._known[name]
        self._leave()
        if request.get("fresh") or name not in self._known:
            self._known[name] = units.Interpreter(display=True)
            self._places.pop(name, None)
            self._go(request.get("cwd") or self._start)
        else:
            self._known[name].enter()
            self._go(self._places.get(name, self._start))
        self._current = name
        return self._known[name]

    def _leave(self) -> None:
        try:
            self._places[self._current] = getcwd()
        except OSError:  # it was removed
            self._places.pop(self._current, None)

    @staticmethod
    def _go(place: str) -> None:
        try:
            chdir(place)
        except (OSError, ValueError):
            pass
