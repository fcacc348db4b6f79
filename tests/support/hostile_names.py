"""hostile_names - what a stranger may choose as a name, and what no terminal may get."""

import re

# Names and texts, and how each is shown: C0, DEL, C1 in UTF-8 and as a byte, no UTF-8, an
# override of direction, an isolate, a mark, a separator, what takes no room, a tag.
HOSTILE = {
    b"\x1b[2J": rb"\x1b[2J",
    b"a\nb": rb"a\nb",
    b"\x7f": rb"\x7f",
    "\x9b31m".encode(): rb"\x9b31m",
    b"\x9b31m": rb"\x9b31m",
    b"\xff\xfe": rb"\xff\xfe",
    "\u202egnp.py".encode(): rb"\u202egnp.py",
    "\u2066x\u2069".encode(): rb"\u2066x\u2069",
    "\u061c\u200e\u200f".encode(): rb"\u061c\u200e\u200f",
    "\u2028\u2029".encode(): rb"\u2028\u2029",
    "\ufeff\u200b\u2060".encode(): rb"\ufeff\u200b\u2060",
    "\U000e0041".encode(): rb"\U000e0041",
}
# No byte of these, nor of C1 in UTF-8, is ours to print; a newline ends our own lines.
UNFIT = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
)
