"""Threat: calls and arguments that are code of the kernel to attack, or load for others, and that nobody needs.

Layer: seccomp. It would succeed when one of the tries, "call:argument,...=answer", is answered otherwise.
No try has an effect: descriptors and pointers are those of nothing. closed_calls.py has the list.
"""

import errno
import sys

import _kit


def answered(line: str) -> str:
    """Make one call; return what was answered, unless it is what the line says."""
    call, _, want = line.partition("=")
    name, _, words = call.partition(":")
    arguments = [int(word) for word in words.split(",") if word]
    result, error = _kit.in_child_result(lambda: _kit.syscall(name, *arguments, *[0] * (6 - len(arguments))))
    held = error == getattr(errno, want) if want in vars(errno) else (result, error) == (int(want), 0)
    return "" if held else f"{call}={errno.errorcode.get(error, result)}"


def attack() -> str:
    """Make all of them, in children."""
    return " ".join(filter(None, map(answered, sys.argv[1:])))


_kit.run(attack)
