"""cmessages - messages of the C sources: each string, and what becomes of it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import ctext
from ctext import Function, Place, Token
from row import Row, Unknown
from ways import BUILDERS, CODE, KIND, OTHER, OTHER_FIELDS, OTHER_FILES, OTHER_MACROS, OTHER_TABLES, OTHER_TEXTS, PROSE, SINKS, STATUS, STREAM_KINDS, STREAMS

FOLDERS = ("agent", "rootfs", "runtime")
HOLE = "\0"  # where the text of a caller goes
CONVERSION = re.compile(r"%(?:%|[-+ #0-9.*]*(?:hh|h|ll|l|z|j|t)?[a-zA-Z])")
NAMED = re.compile(r'\[ERR_(\w+)\]\s*=\s*"(\w+)"')
MCP_CODES = re.compile(r"\bMCP_(\w+)\s*=\s*(-\d+)")
VARIADIC = re.compile(r"\b(\w+)\([^();{]*\.\.\.\)\s*(?:__attribute__[^;{]*)?[;{]")
HARMLESS = {"err_set", "err_input", "err_sys", "err_prefix"}  # macros of err.h
WORD = re.compile("[A-Za-z]{2}")
GIVEN = "\1"  # before the number of the parameter that has the kind


@dataclass(frozen=True)
class Use:
    """What becomes of a function's parameter: a message of this kind, with a hole for it."""

    kind: str
    format: str


class Sources:
    """The functions of all files, and where their parameters go."""

    def __init__(self, root: Path) -> None:
        """Read all files."""
        paths = sorted(path for folder in FOLDERS for path in (root / folder).rglob("*.[ch]"))
        self.texts = {path.relative_to(root).as_posix(): ctext.without_comments(path.read_text()) for path in paths}
        self.macros: dict[str, str] = {}
        for text in self.texts.values():
            self.macros.update(ctext.string_macros(text))
        self.functions = [f for path, text in self.texts.items() for f in ctext.split_functions(path, text)]
        self.named: dict[str, list[Function]] = {}
        for function in self.functions:
            self.named.setdefault(function.name, []).append(function)
        whole = "\n".join(t for p, t in self.texts.items() if p.endswith(("base/err.c", "/mcp_request.h", "/mcp_rpc.h")) or "MCP_" in t)
        self.kinds = {**{f"ERR_{k}": v for k, v in NAMED.findall(whole)}, **{f"MCP_{k}": f"mcp {v}" for k, v in MCP_CODES.findall(whole)}}
        self.uses: dict[tuple[str, str, int], set[Use]] = {}
        prosaic = [name for name, body in self.macros.items() if PROSE.search(body)]
        self.prosaic = {path: [name for name in prosaic if name in text] for path, text in self.texts.items()}

    def callee(self, name: str, caller: Function) -> Function | None:
        """The function that a call names."""
        found = self.named.get(name, [])
        own = [f for f in found if f.path == caller.path]
        near = [f for f in found if not f.is_static and Path(f.path).parent == Path(caller.path).parent]
        return next(iter([*own, *near, *(f for f in found if not f.is_static)]), None)

    def kind_of(self, function: Function, arguments: list[list[Token]], how: str, at: int) -> str:
        """The kind that an argument has; of a parameter, which one it is (see given_kind)."""
        tokens = arguments[at] if len(arguments) > at else []
        if len(tokens) == 1 and tokens[0].text in function.parameters:
            return f"{GIVEN}{how} {function.parameters.index(tokens[0].text)}"
        kinds = [self.kinds[t.text] for t in tokens if t.text in self.kinds]
        kinds += [f"http {t.text}" for t in tokens if how == STATUS and re.fullmatch(r"\d{3}", t.text)]
        return "|".join(dict.fromkeys(kinds)) or (how + " any" if how != KIND else "any")

    def given_kind(self, function: Function, tokens: list[Token], place: Place, use: Use) -> Use:
        """The use with the kind that this call gives."""
        if not use.kind.startswith(GIVEN):
            return use
        how, at = use.kind[1:].split()
        return replace(use, kind=self.kind_of(function, ctext.arguments(tokens, place.call), how, int(at)))

    def sink(self, function: Function, place: Place, tokens: list[Token]) -> tuple[str, int, list[list[Token]]] | None:
        """The kind, the number of the text and the arguments of a call that makes a message."""
        if place.name in STREAMS:
            stream, at = STREAMS[place.name]
            arguments = ctext.arguments(tokens, place.call)
            kind = STREAM_KINDS.get(arguments[stream][0].text if len(arguments) > stream and arguments[stream] else "", "part")
            return kind, at, arguments
        if place.name not in SINKS:
            return None
        how, at = SINKS[place.name]
        arguments = ctext.arguments(tokens, place.call)
        if isinstance(how, str):
            return how, at, arguments
        return self.kind_of(function, arguments, *how), at, arguments

    def uses_of(self, function: Function, at: int) -> set[Use]:
        """What becomes of a parameter."""
        key = (function.path, function.name, at)
        if key not in self.uses:
            self.uses[key] = set()  # a function that calls itself adds nothing
            name = function.parameters[at] if at < len(function.parameters) else ""
            tokens = function.read(self.macros)
            found: set[Use] = set()
            for _, place in ctext.walk(tokens, name) if name else ():
                found |= self.use(function, tokens, place)
            self.uses[key] = found
        return self.uses[key]

    def use(self, function: Function, tokens: list[Token], place: Place) -> set[Use]:
        """What becomes of a text that stands there."""
        if place.what in ("assign", "return", "init"):
            return {Use("part", HOLE)}
        if place.what != "call" or place.name in OTHER:
            return set()
        if place.name in BUILDERS and (place.at >= BUILDERS[place.name] or place.name not in SINKS):
            return {Use("part", HOLE)} if place.at >= BUILDERS[place.name] else set()
        sink = self.sink(function, place, tokens)
        if sink:
            kind, at, arguments = sink
            if place.at == at:
                return {Use(kind, HOLE)}
            return {Use(kind, f) for f in formats_with_hole(arguments, at, place.at)} if place.at > at else set()
        callee = self.callee(place.name, function)
        return {self.given_kind(function, tokens, place, u) for u in self.uses_of(callee, place.at)} if callee else set()


def formats_with_hole(arguments: list[list[Token]], at: int, hole: int) -> Iterator[str]:
    """The formats at `at`, with a hole for the argument `hole`."""
    for token in arguments[at] if len(arguments) > at else []:
        if token.kind != "string":
            continue
        left = hole - at
        for match in CONVERSION.finditer(token.text):
            left -= 0 if match[0] == "%%" else 1 + match[0].count("*")
            if left <= 0:
                if match[0].endswith("s"):
                    yield token.text[: match.start()] + HOLE + token.text[match.end() :]
                break


def collect(root: Path) -> Iterator[Row]:
    """Every message of the C sources."""
    sources = Sources(root)
    check_variadic(sources)
    check_macros(sources)
    for function in sources.functions:
        if '"' in function.text or any(name in function.text for name in sources.prosaic[function.path]):
            yield from messages_of(sources, function)


def check_variadic(sources: Sources) -> None:
    """A function with a format must be known: its texts are not seen otherwise."""
    for path, text in sources.texts.items():
        for match in VARIADIC.finditer(text):
            if "format" in match[0] and match[1] not in (*SINKS, *STREAMS, *BUILDERS, *OTHER, *HARMLESS):
                raise Unknown(path, text.count("\n", 0, match.start()) + 1, f"{match[1]}() takes a format: name it in tools/messages.d/ways.py")


def check_macros(sources: Sources) -> None:
    """A macro that is no string alone has no message in it: nothing would see it."""
    for path, text in sources.texts.items():
        for match in ctext.DEFINE.finditer(text):
            if match[1] not in sources.macros and match[1] not in OTHER_MACROS and any(PROSE.search(s) for s in re.findall(r'"(?:\\.|[^"\\])*"', match[2])):
                raise Unknown(path, text.count("\n", 0, match.start()) + 1, f"the macro {match[1]} has a text in it: make it a function")


def messages_of(sources: Sources, function: Function) -> Iterator[Row]:
    """The messages of one function, or of the tables of a file."""
    tokens = function.read(sources.macros)
    for token, place in ctext.walk(tokens):
        if not WORD.search(token.text):
            continue
        name = function.name or table_name(place)
        uses = {replace(u, format=u.format.replace(HOLE, token.text)) for u in found_uses(sources, function, tokens, token, place)}
        uses = {replace(u, kind="any") if u.kind.startswith(GIVEN) else u for u in uses}
        for use in sorted(uses, key=lambda u: (u.kind == "part", u.kind, u.format)):
            yield Row(function.path, name, use.kind, use.format)


def table_name(place: Place) -> str:
    """The variable of "static const struct x name[]"."""
    words = re.findall(r"\w+", re.sub(r"\[.*", "", place.name))
    return words[-1] if words else "-"


def found_uses(sources: Sources, function: Function, tokens: list[Token], token: Token, place: Place) -> set[Use]:
    """What becomes of a string; fails if nobody knows."""
    is_prose = bool(PROSE.search(token.text))
    if place.what == "call":
        uses = sources.use(function, tokens, place)
        if not uses and is_prose and not is_other(function, place, token.text):
            raise Unknown(function.path, function.line_of(token), f'"{token.text}" goes to {place.name}(): name it in tools/messages.d/ways.py')
        direct = sources.sink(function, place, tokens)
        if direct and place.at == direct[1] and direct[0] != "part":
            return uses
        return {u for u in uses if is_prose and (u.kind != "part" or not is_other(function, place, token.text)) or is_whole(u, token.text)}
    if not is_prose or is_other(function, place, token.text):
        return set()
    if place.what == "alone":
        raise Unknown(function.path, function.line_of(token), f'"{token.text}" stands alone')
    return {Use("part", HOLE)}


def is_whole(use: Use, text: str) -> bool:
    """Is the hole the message: has the rest no word of its own?"""
    return use.kind != "part" and not re.search("[A-Za-z]", CONVERSION.sub("", use.format)) and len(text) > 2


def is_other(function: Function, place: Place, text: str) -> bool:
    """Is what stands there known as no message?"""
    if (place.name in OTHER and place.what == "call") or function.path.startswith(OTHER_FILES) or OTHER_TEXTS.match(text):
        return True
    return place.label in OTHER_FIELDS or (place.what == "init" and bool(OTHER_TABLES.search(place.name)))
