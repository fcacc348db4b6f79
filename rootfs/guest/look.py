"""look - what an editor wants to know of a session: how a name goes on, what it is, whether a cell is whole.

What a name stands for may run foreign code. Like display.py this binds what it uses before that comes.
"""

from __future__ import annotations

import builtins

__builtins__ = dict(vars(builtins))  # of the functions below; from here on only theirs

import re
import sys
from typing import Any

import dialect
from display import cut, type_name
from display import text as shown
from prompt import MATCHES_MAX, is_unfinished, matches

TEXT_MAX = 200_000  # characters of a description
FORM_MAX = 500  # characters of what a value looks like
INDENT = "    "

_DOTTED = re.compile(r"(?:[^\W\d]\w*\.)*(?:[^\W\d]\w*)?$")
_IMPORT = re.compile(r"\s*(?:from|import)\s+(?:[\w.]+\s*,\s*)*([\w]*)$")
_NOTHING = object()


def completions(source: str, cursor: int, names: dict[str, Any]) -> dict[str, Any]:
    """Return {"matches", "start", "end"}: what may stand between two places, in characters."""
    cursor = min(cursor, len(source))
    line = source[:cursor].rpartition("\n")[2]
    imported = _IMPORT.match(line)
    text = imported[1] if imported else _DOTTED.search(line)[0]  # type: ignore[index]
    is_quoted = line[: len(line) - len(text)].endswith(("'", '"'))
    found = modules(text) if imported else [one.rstrip("(): ") for one in matches(text, names)] if text and not is_quoted else []
    return {"matches": sorted(set(found)), "start": cursor - len(text), "end": cursor}


def modules(begin: str) -> list[str]:
    """Return the modules whose names begin so."""
    import pkgutil

    known = {one.name for one in pkgutil.iter_modules()} | set(sys.builtin_module_names)
    return sorted(one for one in known if one.startswith(begin) and one.isprintable())[:MATCHES_MAX]


def inspection(source: str, cursor: int, names: dict[str, Any], detail: int) -> dict[str, Any]:
    """Return {"text"} of the name at the cursor, or of the function whose arguments are written there; or nothing."""
    name = name_at(source, cursor)
    value = named(name, names) if name else _NOTHING
    return {} if value is _NOTHING else {"text": described(name, value, bool(detail))}


def name_at(source: str, cursor: int) -> str:
    """Return the dotted name at a place, or the one before the innermost open parenthesis."""
    end = cursor = min(cursor, len(source))
    while end < len(source) and (source[end].isalnum() or source[end] == "_"):
        end += 1
    name = _DOTTED.search(source[:end])[0].rstrip(".")  # type: ignore[index]
    if name:
        return name
    depth = 0
    for at in range(cursor - 1, max(-1, cursor - 10_000), -1):
        depth += {")": 1, "(": -1}.get(source[at], 0)
        if depth < 0:
            return _DOTTED.search(source[:at])[0]  # type: ignore[index]
    return ""


def named(name: str, names: dict[str, Any]) -> object:
    """Return what a dotted name stands for; _NOTHING: nothing."""
    first, *rest = name.split(".")
    value = names.get(first, getattr(builtins, first, _NOTHING))
    for attribute in rest:
        value = getattr(value, attribute, _NOTHING)
        if value is _NOTHING:
            break
    return value


def described(name: str, value: object, whole: bool = False) -> str:
    """Return signature, documentation and kind of a value, as `name?` shows them; with its source, if `whole`."""
    import inspect

    parts = []
    try:
        parts.append(f"Signature: {name}{inspect.signature(value)}")  # type: ignore[arg-type]
    except (TypeError, ValueError):  # it has none
        pass
    parts.append(f"Type:      {type_name(value)}")
    if not parts[0].startswith("Signature"):
        parts.append(f"Value:     {cut(shown(value), FORM_MAX)}")
    documentation = inspect.getdoc(value)
    if type(documentation) is str:
        parts.append(f"Docstring:\n{documentation}")
    if whole:
        try:
            parts.append(f"Source:\n{inspect.getsource(value)}")  # type: ignore[arg-type]
        except (OSError, TypeError):  # it is not Python, or nobody has kept it
            pass
    return cut("\n".join(parts), TEXT_MAX)


def state(source: str, flags: int) -> dict[str, Any]:
    """Return {"state"}: complete, incomplete with the next line's "indent", or invalid."""
    last = source.rstrip(" \t").rpartition("\n")[2]
    indent = last[: len(last) - len(last.lstrip())] + (INDENT if last.rstrip().endswith(":") else "")
    try:
        compile(source, "<cell>", "exec", flags, True)
        is_open = bool(last.strip()) and indent != ""  # a block ends with an empty line
        return {"state": "incomplete", "indent": indent} if is_open else {"state": "complete"}
    except (SyntaxError, ValueError, OverflowError, MemoryError, RecursionError):
        pass
    if is_unfinished(source, flags):
        return {"state": "incomplete", "indent": indent}
    return {"state": "invalid" if dialect.mended(source, flags) is None else "complete"}
