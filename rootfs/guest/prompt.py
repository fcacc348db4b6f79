"""prompt - what somebody who types at a prompt wants of a session: an end of the block, names, input.

Like display.py this runs beside foreign code: it binds what it uses before that comes, and what it
needs of the library only somebody at a prompt pays for.
"""

from __future__ import annotations

import builtins

__builtins__ = dict(vars(builtins))  # of the functions below; from here on only theirs

import sys
from fcntl import F_DUPFD_CLOEXEC, fcntl
from os import close, dup2
from typing import Any

MATCHES_MAX = 200
MATCH_MAX = 200  # characters
STDIN = 0
LEAST = 4  # as in sessionframes.py


def is_unfinished(source: str, flags: int) -> bool:
    """Tell whether python(1) would ask for more lines before it runs these."""
    import codeop

    compiler = codeop.CommandCompiler()
    compiler.compiler.flags |= flags
    try:
        return compiler(source, "<prompt>", "single") is None
    except (SyntaxError, ValueError, OverflowError, MemoryError, RecursionError):
        return False  # it says what is wrong when it is run


def matches(text: str, names: dict[str, Any]) -> list[str]:
    """Return how a dotted name could go on: whole names. What it stands for may run foreign code."""
    completer = completer_class()(names)
    found = completer.attr_matches(text) if "." in text else completer.global_matches(text)
    exact = {str.__str__(one) for one in found if issubclass(type(one), str)}
    # What is not printable is no name, and lone surrogates are no JSON.
    return sorted(one for one in exact if len(one) <= MATCH_MAX and one.isprintable())[:MATCHES_MAX]


def completer_class() -> Any:
    """Return rlcompleter's class. Its module would have readline take over the terminal."""
    kept = {name: sys.modules.get(name) for name in ("readline", "rlcompleter")}
    sys.modules["readline"] = None  # type: ignore[assignment]
    try:
        sys.modules.pop("rlcompleter", None)
        import rlcompleter

        return rlcompleter.Completer
    finally:
        for name, module in kept.items():
            sys.modules.pop(name, None)
            if module is not None:
                sys.modules[name] = module


class Input:
    """Standard input, as long as one source runs."""

    def __init__(self) -> None:
        self._before = -1  # what it was

    def lend(self, fd: int) -> None:
        """Let a source read from a pipe, which is closed here."""
        try:
            self._before = fcntl(STDIN, F_DUPFD_CLOEXEC, LEAST)
            dup2(fd, STDIN)
        except OSError:  # a source has closed it, or has used up all descriptors
            pass
        finally:
            close(fd)
        if getattr(sys.stdin, "closed", True):  # exit() does that
            sys.stdin = open(STDIN, closefd=False)

    def take_back(self) -> None:
        """Let it be what it was."""
        before, self._before = self._before, -1
        if before < 0:
            return
        try:
            dup2(before, STDIN)
            close(before)
        except OSError:  # a source has closed it
            pass
