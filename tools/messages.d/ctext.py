"""ctext - where a string stands in C: the call, the assignment, the table or the return that it belongs to.

The files are ours and clang-format's: a function's body begins with a line "{" and ends with a line "}".
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

TOKEN = re.compile(
    r'(?P<string>"(?:\\.|[^"\\\n])*")|(?P<name>[A-Za-z_]\w*)|\'(?:\\.|[^\'\\\n])*\'|->|\.\.\.|[=!<>]=|&&|\|\||\d\w*|[^\s\w]'
)
NOISE = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*', re.DOTALL)
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\([^)\n]*\))?[ \t]+((?:\\\n|[^\n])*)", re.MULTILINE)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
BODY = re.compile(r"^\{\n(.*?)^\}$", re.MULTILINE | re.DOTALL)
KEYWORDS = {"if", "while", "for", "switch", "return", "sizeof", "else", "case", "do", "__attribute__", "typeof"}
OPENING, CLOSING = "([{", ")]}"
MEMBER = ("->", ".")


class Token(NamedTuple):
    """One piece of C."""

    text: str
    kind: str  # "string": text is the content, as it is written between the quotes; "name"; ""
    at: int  # where it begins in the function


@dataclass
class Frame:
    """An open bracket: what stands before it, and what was read of it."""

    bracket: str
    owner: str  # the function that is called; of {...} the type and name before "="; or ""
    begin: int  # index of the first token behind the bracket
    comma: int = 0  # how many commas were there
    label: str = ""  # {.label = ...}


@dataclass
class Place:
    """Where one text stands: `what` is "call", "return", "assign", "init" or "alone"."""

    what: str
    name: str  # the function, the target, or the type and name of the table
    at: int  # which argument, which column
    call: int  # of a call: the index of the first token of its arguments
    label: str = ""


@dataclass
class Function:
    """A function of ours; or what stands between functions, whose name is ""."""

    path: str
    name: str
    parameters: list[str]
    is_static: bool
    line: int
    text: str
    tokens: list[Token] = field(default_factory=list)

    def read(self, macros: dict[str, str]) -> list[Token]:
        """The tokens, made when they are first asked for."""
        if not self.tokens:
            self.tokens = list(tokenize(self.text, macros))
        return self.tokens

    def line_of(self, token: Token) -> int:
        """The line of the file."""
        return self.line + self.text.count("\n", 0, token.at)


def without_comments(text: str) -> str:
    """Blank comments, so that lines and columns stay."""
    return NOISE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]) if m[0][0] == "/" else m[0], text)


def string_macros(text: str) -> dict[str, str]:
    """#define NAME "text" OTHER "text": name to body."""
    found = {name: body.replace("\\\n", " ").strip() for name, body in DEFINE.findall(text)}
    return {name: body for name, body in found.items() if '"' in body and not re.search(r"[(){};,?]", NOISE.sub("", body))}


def tokenize(text: str, macros: dict[str, str]) -> Iterator[Token]:
    """Pieces of C; neighbouring strings, and macros of strings, are one string."""
    pending: list[str] = []
    begin = 0
    for match in TOKEN.finditer(text):
        word, kind = match[0], match.lastgroup or ""
        if kind == "string":
            piece = word[1:-1]
        elif kind and word in macros:
            piece = "".join(t.text for t in tokenize(macros[word], macros) if t.kind == "string")
        elif pending and word.startswith(("PRI", "SCN")):
            piece = word[3]
        else:
            if pending:
                yield Token("".join(pending), "string", begin)
                pending = []
            yield Token(word, kind, match.start())
            continue
        begin = begin if pending else match.start()
        pending.append(piece)
    if pending:
        yield Token("".join(pending), "string", begin)


def split_functions(path: str, text: str) -> Iterator[Function]:
    """The functions of a file without comments, then all that is none."""
    rest, at = [], 0
    for body in BODY.finditer(text):
        head_at = max(text.rfind(end, 0, body.start()) for end in (";\n", "}\n", "\n\n", "\n#"))
        head = text[head_at + 1 : body.start()]
        signature = re.search(r"(\w+)\(((?:[^()]|\([^()]*\))*)\)\s*$", re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", "", head))
        if not signature:
            continue
        rest.append(text[at : body.start()])
        rest.append(";" + "\n" * body[0].count("\n"))
        at = body.end()
        parameters = [re.sub(r"\[.*?\]|\)\(.*", "", p).split("*")[-1].split(" ")[-1].strip() for p in split_commas(signature[2])]
        line = text.count("\n", 0, body.start(1)) + 1
        yield Function(path, signature[1], parameters, "static " in head, line, without_directives(body[1]))
    rest.append(text[at:])
    yield Function(path, "", [], True, 1, without_directives("".join(rest)))


def without_directives(text: str) -> str:
    """Blank what is for the preprocessor."""
    return DIRECTIVE.sub(lambda m: "\n" * m[0].count("\n"), text) if "#" in text else text


def split_commas(text: str) -> list[str]:
    """Split at commas outside of brackets."""
    parts, depth, at = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in OPENING) - (c in CLOSING)
        if c == "," and not depth:
            parts.append(text[at:i].strip())
            at = i + 1
    return [*parts, text[at:].strip()]


def arguments(tokens: list[Token], begin: int) -> list[list[Token]]:
    """The arguments of a call whose first argument begins there."""
    found: list[list[Token]] = [[]]
    depth = 0
    for token in tokens[begin:]:
        depth += (token.text in OPENING) - (token.text in CLOSING) if token.kind != "string" else 0
        if depth < 0:
            return found
        if token.text == "," and not depth and token.kind != "string":
            found.append([])
        else:
            found[-1].append(token)
    return found


def walk(tokens: list[Token], name: str = "") -> Iterator[tuple[Token, Place]]:
    """Each string of a function, or each use of a variable, and where it stands."""
    stack: list[Frame] = []
    start = 0  # of the statement
    for i, token in enumerate(tokens):
        text = token.text
        if token.kind:
            if token.kind == "string" if not name else text == name and (not i or tokens[i - 1].text not in MEMBER):
                yield token, place_of(tokens, stack, start, i)
        elif text in OPENING:
            stack.append(opened(tokens, stack, start, i))
            if text == "{" and stack[-1].owner == "":
                start = i + 1
        elif text in CLOSING:
            frame = stack.pop() if stack else None
            if text == "}" and frame and frame.owner == "":
                start = i + 1
        elif text == ";" and not any(f.bracket == "(" for f in stack):
            start = i + 1
        elif text == "," and stack:
            stack[-1].comma += 1
            stack[-1].label = ""
        elif text == "=" and stack and stack[-1].bracket == "{" and i > 1 and tokens[i - 2].text == ".":
            stack[-1].label = tokens[i - 1].text


def opened(tokens: list[Token], stack: list[Frame], start: int, i: int) -> Frame:
    """The bracket at i."""
    bracket, owner = tokens[i].text, ""
    before = tokens[i - 1] if i > start else None
    if bracket == "(" and before and before.kind == "name" and before.text not in KEYWORDS:
        owner = before.text
    if bracket == "{":
        outer = next((f for f in reversed(stack) if f.bracket == "{"), None)
        if outer and outer.owner:
            owner = outer.owner
        elif before and before.text in ("=", ")", "return") and (before.text != ")" or is_compound(tokens, i)):
            owner = " ".join(t.text for t in tokens[start : i - 1]) or "?"
    return Frame(bracket, owner, i + 1)


def is_compound(tokens: list[Token], i: int) -> bool:
    """Is the { at i that of (struct x){...}?"""
    depth = 0
    for j in range(i - 1, -1, -1):
        depth += (tokens[j].text == ")") - (tokens[j].text == "(") if tokens[j].kind != "string" else 0
        if not depth:
            return tokens[j + 1].text in ("struct", "const", "char", "union")
    return False


def place_of(tokens: list[Token], stack: list[Frame], start: int, i: int) -> Place:
    """Where the token at i stands."""
    for frame in reversed(stack):
        if frame.bracket == "(" and frame.owner:
            return Place("call", frame.owner, frame.comma, frame.begin)
        if frame.bracket == "{" and frame.owner:
            return Place("init", frame.owner, frame.comma, frame.begin, frame.label)
        if frame.bracket == "{":
            break
    statement = tokens[start:i]
    for j, token in enumerate(statement):
        if token.text == "=" and token.kind != "string":
            return Place("assign", "".join(t.text for t in statement[:j][-3:]), 0, 0, statement[j - 1].text)
    if any(t.text == "return" for t in statement):
        return Place("return", "", 0, 0)
    return Place("alone", "", 0, 0)
