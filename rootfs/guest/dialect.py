"""dialect - what models and notebooks write instead of Python, made into Python.

mended(source, flags) is asked only about a source that does not compile: what is valid Python is never
changed. It tries one kind of change after the other, and the first text that compiles is taken. If none
does, lines of a notebook are translated all the same, so that the error is about the rest.

    ```python fences      go
    # %% next block       between the blocks of a reply (agent/reply/extract_code.c): each is mended by itself
    >>> and In [1]: prompts, and the output between them, go
    %line, %%cell, !shell, name?, x = !shell
                          become calls of get_ipython(), as IPython makes them (notebook.py)
    U+00A0, curly quotes, dashes, fullwidth signs, outside strings and comments
                          become their ASCII
    common indentation    goes, and that of all lines but the first

The content of strings stays as it is. Lines keep their numbers, but for those of prompts.
"""

from __future__ import annotations

import builtins

__builtins__ = dict(vars(builtins))  # of the functions below; from here on only theirs

import re
from ast import PyCF_ONLY_AST

_PROMPT = re.compile(r"[ \t]*(>>>|In \[\d*\]:)(?: |(?=\n)|$)")
_CONTINUATION = re.compile(r"[ \t]*(\.\.\.+:?)(?: |(?=\n)|$)")
_FENCE = re.compile(r"[ \t]*(```|~~~)")
_MARK = "# %% next block"
_CELL = re.compile(r"([ \t]*)%%(\w+)[ \t]*(.*)")
_LINE = re.compile(r"([ \t]*)(?:(%)\s*([a-zA-Z_]\w*)[ \t]*(.*)|(!!?)(.*)|(\?{1,2})\s*([\w.]+)\s*|([\w.]+)\s*\?{1,2}\s*)$")
_ASSIGNED = re.compile(r"([ \t]*[\w.\[\]'\", \t]+?[ \t]*=[ \t]*)(?:(!)(.+)|(%)([a-zA-Z_]\w*)[ \t]*(.*))$")
_PIP = re.compile(r"([ \t]*)(?:python3?\s+-m\s+)?(pip3?|conda)\s+(install|uninstall|download|list|show|freeze)\b(.*)$")
_TOKEN = re.compile(r"[rRbBuUfF]{0,2}('''|\"\"\"|'|\")|#[^\n]*|[()\[\]{}]|\\\n|\n|.", re.S)
_END = {quote: re.compile(r"(?:\\.|[^\\])*?" + quote, re.S) for quote in ("'''", '"""')}
_END |= {quote: re.compile(r"(?:\\.|[^\\\n" + quote + r"])*" + quote, re.S) for quote in ("'", '"')}

_ESCAPE = re.compile(r"\\.|['\"]", re.S)
SOURCE_MAX = 1 << 20  # characters of a source that is mended
STRING_MAX = 4096  # characters of a string in one line; longer ones are not looked at, to keep the cost linear

_DOUBLE, _SINGLE = "\u201c\u201d\u201e\u201f\u00ab\u00bb", "\u2018\u2019\u201a\u201b"
_CLOSES = {quote: re.compile(f"[{signs}](?!\\w)") for quote, signs in (('"', _DOUBLE), ("'", _SINGLE))}
_ASCII = {
    **dict.fromkeys("\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "),
    **dict.fromkeys("\u200b\u200c\u200d\u200e\u200f\u2060\ufeff", ""),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"),
    **{"\u00d7": "*", "\u00f7": "/", "\u2264": "<=", "\u2265": ">=", "\u2260": "!=", "\u2026": "..."},
    **{chr(ord(sign) + 0xFEE0): sign for sign in "!%&()*+,-./:;<=>?@[]^{|}~"},
}


def mended(source: str, flags: int) -> str | None:
    """Return the Python that a source which does not compile was meant to be; None: nobody knows."""
    if len(source) > SOURCE_MAX:
        return None
    text = _without_fences(source)
    if text != source and _compiles(text, flags):
        return text
    blocks = _blocks(text)
    if len(blocks) > 1:
        changed = "\n".join(block if _compiles(block, flags) else _mended_block(block, flags) or block for block in blocks)
        if changed != text:
            return changed
    return _mended_block(text, flags)


def _blocks(text: str) -> list[str]:
    """Return the blocks of a source; each but the first begins with the mark."""
    lines = text.split("\n")
    starts = _statement_lines(text) if _MARK in text else ()
    begins = [0, *sorted(number for number in starts if number and lines[number] == _MARK)]
    return ["\n".join(lines[begin:end]) for begin, end in zip(begins, [*begins[1:], len(lines)])]


def _mended_block(text: str, flags: int) -> str | None:
    translated = None
    for change in (_without_prompts, _without_notebook, _without_signs, _without_indent):
        changed = change(text)
        if changed == text:
            continue
        text = changed
        if _compiles(text, flags):
            return text
        if change is _without_notebook or translated is not None:
            translated = text
    return translated


def _compiles(text: str, flags: int) -> bool:
    try:
        compile(text, "<cell>", "exec", flags | PyCF_ONLY_AST, True)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    return True


def _without_fences(text: str) -> str:
    """Return what a Markdown fence around all of it encloses."""
    lines = text.split("\n")
    filled = [number for number, line in enumerate(lines) if line.strip()]
    if not filled or not _FENCE.match(lines[filled[0]]):
        return text
    lines[filled[0]] = ""
    if len(filled) > 1 and lines[filled[-1]].strip() in ("```", "~~~"):
        lines[filled[-1]] = ""
    return "\n".join(lines)


def _without_prompts(text: str) -> str:
    """Return what was typed at prompts, if the first line has one; other lines are output."""
    lines = text.split("\n")
    first = next((line for line in lines if line.strip() and not line.lstrip().startswith("#")), "")
    if not _PROMPT.match(first):
        return text
    typed = []
    is_input = False
    for line in lines:
        found = _PROMPT.match(line) or (_CONTINUATION.match(line) if is_input else None)
        is_input = found is not None
        if found:
            typed.append(line[found.end() :])
    return "\n".join(typed) + "\n"


# -- notebooks -----------------------------------------------------------------------------


def _without_notebook(text: str) -> str:
    """Return a cell with IPython's lines as calls."""
    lines = text.split("\n")
    starts = _statement_lines(text)
    first = next((number for number in sorted(starts) if _CELL.match(lines[number])), len(lines))
    translated = [_translated(line) if number in starts else line for number, line in enumerate(lines[:first])]
    if first < len(lines):
        indent, name, rest = _CELL.match(lines[first]).groups()
        body = "\n" * (first + 1) + "\n".join(lines[first + 1 :])
        translated.append(indent + _call("run_cell_magic", name, rest.strip(), body))
    return "\n".join(translated)


def _translated(line: str) -> str:
    """Return the Python of a line on which a statement begins."""
    found = _LINE.match(line)
    if found:
        indent, percent, name, rest, shell, command, asked, subject, other = found.groups()
        if percent:
            return indent + _call("run_line_magic", name, rest.strip())
        if shell:
            return indent + _call("getoutput" if shell == "!!" else "system", command.strip())
        return indent + _call("run_line_magic", "pinfo", subject or other) if asked or other else line
    found = _ASSIGNED.match(line)
    if found:
        target, shell, command, _, name, rest = found.groups()
        return target + (_call("getoutput", command.strip()) if shell else _call("run_line_magic", name, rest.strip()))
    found = _PIP.match(line)
    return found[1] + _call("run_line_magic", found[2].rstrip("3"), found[3] + found[4]) if found else line


def _call(method: str, *arguments: str) -> str:
    return f"get_ipython().{method}({', '.join(map(repr, arguments))})"


def _statement_lines(text: str) -> set[int]:
    """Return the numbers of the lines that continue neither a string, nor brackets, nor another line."""
    starts = {0}
    depth = line = at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        token = found[0]
        at = found.end()
        if found[1]:
            # A line of a shell may have an odd quote: a string ends at its line then.
            end = _end_of(text, at, found[1])
            inside = text[at : end.end()] if end else ""
            line += inside.count("\n")
            at += len(inside)
        elif token in "([{":
            depth += 1
        elif token in ")]}":
            depth = max(0, depth - 1)
        elif token == "\\\n":
            line += 1
        elif token == "\n":
            line += 1
            if not depth:
                starts.add(line)
    return starts


# -- signs ---------------------------------------------------------------------------------


def _without_signs(text: str) -> str:
    """Return it with typographic signs as ASCII, where they are neither in a string nor in a comment."""
    out = []
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        token, at = found[0], found.end()
        quote = found[1]
        if quote:
            end = _end_of(text, at, quote)
            stop = end.end() if end else _end_of_mixed(text, at, quote)
            inside = text[at:stop]
            out += [token, inside if end or not stop - at else inside[:-1] + quote]
            at = stop
        elif token in _DOUBLE or token in _SINGLE:
            piece, at = _quoted(text, at, token)
            out.append(piece)
        else:
            out.append(_ASCII.get(token, token))
    return "".join(out)


def _end_of(text: str, at: int, quote: str) -> re.Match | None:
    """Return the rest of a string that this quote began."""
    return _END[quote].match(text, at, at + STRING_MAX) if len(quote) == 1 else _END[quote].match(text, at)


def _rest_of_line(text: str, at: int) -> str:
    limit = at + STRING_MAX
    end = text.find("\n", at, limit)
    return text[at : limit if end < 0 else end]


def _end_of_mixed(text: str, at: int, quote: str) -> int:
    """Return where a string ends that an ASCII quote began and, in its line, only a curly one ends."""
    line = _rest_of_line(text, at)
    ends = [line.rfind(sign) for sign in (_DOUBLE if quote == '"' else _SINGLE)] if len(quote) == 1 else [-1]
    return at + max(ends) + 1


def _quoted(text: str, at: int, opening: str) -> tuple[str, int]:
    """Return the string that a curly quote begins, with ASCII quotes, and where it ends."""
    quote = '"' if opening in _DOUBLE else "'"
    line = _rest_of_line(text, at)
    found = _CLOSES[quote].search(line)  # an apostrophe, as in "It's", has a letter behind it
    end = found.start() if found else line.find(quote)
    if end < 0:
        return opening, at
    inside = line[:end]
    if quote in inside and '"\''.replace(quote, "") not in inside:
        quote = '"\''.replace(quote, "")
    escaped = _ESCAPE.sub(lambda found: "\\" + quote if found[0] == quote else found[0], inside)
    return quote + escaped + quote, at + end + 1


def _without_indent(text: str) -> str:
    """Return it without the indentation that all statements have, or all but the first."""
    lines = text.split("\n")
    starts = [number for number in sorted(_statement_lines(text)) if lines[number].strip() and lines[number].lstrip()[0] != "#"]
    if len(starts) > 1 and not _indent(lines[starts[0]]) and not lines[starts[0]].rstrip().endswith(":"):
        starts = starts[1:]
    common = min((_indent(lines[number]) for number in starts), key=len, default="")
    if not common:
        return text
    return "\n".join(line[len(common) :] if line.startswith(common) else line for line in lines)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]
