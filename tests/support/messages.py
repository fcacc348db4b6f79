"""messages - is a text what it should be? By tests/messages.txt, without its sentence.

What a test expects of a message is either a thing that must be named in it ("--memory", a path, a number) or,
where other messages name the same, the function that makes it, as the list has it:

    message("parse_octal")                  the only message of that function, or any of them
    message("parse_octal#digit")            the one with this word
    message("parse_octal#2")                the second one, where another has all of its words
    message("parse_size#small", "6m", "1g") in which 6m is named, and behind it 1g
"""

import functools
import re
from collections.abc import Sequence
from pathlib import Path

LIST = Path(__file__).resolve().parent.parent / "messages.txt"
CONVERSION = re.compile(r"%(?:%|[-+ #0-9.*]*(?:hh|h|ll|l|z|j|t)?[a-zA-Z])|\\(.)")


@functools.cache
def listed() -> dict[str, Sequence[str]]:
    """Return the messages of each function."""
    found: dict[str, list[str]] = {}
    for line in LIST.read_text().splitlines():
        _, _, function, text = line.split("\t")
        found.setdefault(function, []).append(text)
    return found


def texts_of(name: str) -> Sequence[str]:
    """Return the messages that a name stands for: of a function, or those with the key behind the #."""
    function, _, key = name.partition("#")
    texts = listed()[function]
    if key.isdecimal():
        return [texts[int(key) - 1]]
    found = [text for text in texts if key in text]
    if not found:
        raise KeyError(f"{function} has no message with {key}")
    return found


def pattern_of(text: str) -> str:
    """Return a regular expression for what a format prints."""
    pieces, at = [], 0
    for match in CONVERSION.finditer(text):
        known = "%" if match[0] == "%%" else "\n" if match[1] == "n" else match[1]
        pieces += [re.escape(text[at : match.start()]), re.escape(known) if known else ".*?"]
        at = match.end()
    return "".join([*pieces, re.escape(text[at:])])


def message(name: str, *things: object) -> re.Pattern[str]:
    """Return the pattern, for assertRegex() and assert_refused(): a message of this function that names these things."""
    wanted = texts_of(name)
    if "#" not in name:
        wanted = [text for text in wanted if re.search("[A-Za-z]", CONVERSION.sub("", text))]
    named = ".*".join(re.escape(str(thing)) for thing in things)
    return re.compile(rf"(?s)\A(?=.*{named}).*(?:{'|'.join(map(pattern_of, wanted))})")


def named(wanted: str | re.Pattern[str]) -> re.Pattern[str]:
    """Return the pattern, for assertRegex(), of what a test expects: a thing that must be named, or a message."""
    return re.compile(re.escape(wanted)) if isinstance(wanted, str) else wanted


def sentence(name: str, *values: object) -> str:
    """Return the whole text, for assertEqual(): the function's message with these values in it, in their order."""
    left = iter(values)
    text = texts_of(name)[0]
    return CONVERSION.sub(lambda m: "%" if m[0] == "%%" else "\n" if m[1] == "n" else m[1] or str(next(left)), text)
