"""licences - what a package says of its licence, as an SPDX expression.

Debian's copyright files (DEP-5) have short names of their own: those that are SPDX's under another
spelling are translated, and every other becomes a LicenseRef, whose text goes along. Nothing is guessed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.message import Message

NO_ANSWER = "NOASSERTION"

# Debian's spelling, in lower case: SPDX's.
SAME = {
    "expat": "MIT", "mit": "MIT", "mit license": "MIT", "apache-2": "Apache-2.0", "apache-2.0": "Apache-2.0", "isc": "ISC",
    "zlib": "Zlib", "bsd-2-clause": "BSD-2-Clause", "bsd-3-clause": "BSD-3-Clause",
    "bsd-4-clause": "BSD-4-Clause", "0bsd": "0BSD", "bsl-1.0": "BSL-1.0", "cc0": "CC0-1.0",
    "cc0-1.0": "CC0-1.0", "mpl-1.1": "MPL-1.1", "mpl-2.0": "MPL-2.0", "ofl-1.1": "OFL-1.1",
    "artistic": "Artistic-1.0-Perl", "artistic-2.0": "Artistic-2.0", "openssl": "OpenSSL", "curl": "curl",
    "psf-2": "PSF-2.0", "psf-2.0": "PSF-2.0", "unlicense": "Unlicense",
}  # fmt: skip
GNU = re.compile(r"(a?gpl|lgpl|gfdl)-(\d)(\.\d)?(\+|-only|-or-later)?", re.IGNORECASE)


@dataclass
class Licence:
    """An expression, and the texts of the LicenseRefs in it."""

    expression: str = NO_ANSWER
    texts: dict[str, str] = field(default_factory=dict)


def slug(text: str) -> str:
    """Return a text as a part of an SPDX id."""
    return re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-")[:80] or "unnamed"


def paragraphs(text: str) -> Iterator[dict[str, str]]:
    """Yield the paragraphs of a file of Debian's, fields in lower case, continued lines as they are."""
    for block in re.split(r"\n[ \t]*\n", text):
        fields: dict[str, str] = {}
        name = ""
        for line in block.splitlines():
            if line[:1] in (" ", "\t") and name:
                fields[name] += "\n" + line[1:]
            elif ":" in line and not line.startswith("#"):
                name, _, value = line.partition(":")
                name = name.lower()
                fields[name] = value.strip()
        if fields:
            yield fields


def spdx_name(name: str) -> str:
    """Return SPDX's name of a licence of Debian's; empty if it has none."""
    gnu = GNU.fullmatch(name)
    if gnu:
        later = gnu[4] in ("+", "-or-later")
        return f"{gnu[1].upper()}-{gnu[2]}{gnu[3] or '.0'}-{'or-later' if later else 'only'}"
    return SAME.get(name.lower(), "")


def _term(said: str, owner: str, texts: dict[str, str], refs: dict[str, str]) -> str:
    """Return one of Debian's names as an expression; what SPDX has no name for is noted in refs."""
    known = spdx_name(said)
    if known:
        return known
    ref = f"LicenseRef-{slug(owner)}-{slug(said)}"
    refs[ref] = texts.get(said) or said
    return ref


def _expression(said: str, owner: str, texts: dict[str, str], refs: dict[str, str]) -> str:
    """Return one License field; one that is more than names with and, or between them is one name."""
    words = re.split(r"\s+(and|or)\s+", said, flags=re.IGNORECASE)
    if any(re.search(r"[\s,()]", word) for word in words):
        return _term(said, owner, texts, refs)
    found = [w.upper() if i % 2 else _term(w, owner, texts, refs) for i, w in enumerate(words)]
    return f"({' '.join(found)})" if "OR" in found else " ".join(found)


def _all(terms: list[str], refs: dict[str, str]) -> Licence:
    """Return what holds where all of these do, each said once."""
    parts = dict.fromkeys(part for term in terms for part in ([term] if "(" in term else term.split(" AND ")))
    return Licence(" AND ".join(parts), refs) if parts else Licence()


def of_debian(copyright_text: str, owner: str) -> Licence:
    """Return what a copyright file says; that there is no answer, if no program can read it."""
    rows = list(paragraphs(copyright_text))
    if not rows or "copyright-format" not in rows[0].get("format", ""):
        return Licence()
    said: dict[str, None] = {}
    texts: dict[str, str] = {}
    for row in rows:
        name, _, text = row.get("license", "").partition("\n")
        if text:
            texts.setdefault(name, text)
        if name and ("files" in row or row is rows[0]):
            said[name] = None
    refs: dict[str, str] = {}
    return _all([_expression(name, owner, texts, refs) for name in said], refs)


def of_wheel(metadata: Message, owner: str) -> Licence:
    """Return what the METADATA of a wheel says: an expression, a name in one line, or classifiers."""
    kinds = [str(c) for c in metadata.get_all("Classifier", []) if c.startswith("License :: ")]
    named = [kind.rpartition(" :: ")[2] for kind in kinds if kind.count("::") > 1]
    for names in ([metadata["License-Expression"]], [metadata["License"]], named):
        said = [str(name).strip() for name in names if name and name != "UNKNOWN" and "\n" not in name]
        refs: dict[str, str] = {}
        if said:
            return _all([_expression(name, owner, {}, refs) for name in said], refs)
    return Licence()
