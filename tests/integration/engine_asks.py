"""engine_asks - the form of a row of docs/engine.md, and of the requests that show that it is so.

A row has probes, and a probe is a few requests in their order, each with what must be answered. test_engine_rows.py
makes them; engine_table.py writes the rows into the page. In a path or a body ONE is the name of a container that
waits and is the probe's own, ID what the last answer with an `Id` had, IMAGE the name of an image, HERE a directory.
"""

import io
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

WORKS, DIFFERS, REFUSED, ACCEPTED = "works", "differs", "refused", "accepted"
LAST = "LAST"  # a body: that of the last answer
UNSTARTED = {"ExitCode": 125}  # of an exec that is refused when it is to begin


@dataclass(frozen=True)
class Ask:
    """A request and its answer: `shows` is a part of its JSON, or of its text."""

    method: str
    path: str
    status: int = 200
    shows: Any = None
    body: Any = None
    query: Mapping[str, Any] = field(default_factory=dict)
    typed: bytes | None = None  # it is upgraded, and gets this as input
    meanwhile: tuple["Ask", ...] = ()  # these are made once its head is there, and before it is read
    names: str = "ID"  # what its `Id` is called in later ones
    within: float = 0  # seconds that it may take


Probe = tuple[Ask, ...]


def get(path: str, /, status: int = 200, shows: Any = None, **query: Any) -> Ask:
    """Return a GET."""
    return Ask("GET", path, status, shows, query=query)


def post(path: str, /, status: int = 200, shows: Any = None, body: Any = None, **more: Any) -> Ask:
    """Return a POST; what of `more` is no field of Ask is its query."""
    own = {name: more.pop(name) for name in ("typed", "meanwhile", "names", "within") if name in more}
    return Ask("POST", path, status, shows, {} if body is None else body, more, **own)


def delete(path: str, /, status: int = 204, shows: Any = None, **query: Any) -> Ask:
    """Return a DELETE."""
    return Ask("DELETE", path, status, shows, query=query)


def packed(**files: str) -> bytes:
    """Return a tar with files."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            tar.addfile(entry, io.BytesIO(text.encode()))
    return out.getvalue()


@dataclass(frozen=True)
class Member:
    """A member that is sent. The first word of its label is its name, others say which values are meant."""

    label: str
    given: dict[str, Any]
    asks: Probe


@dataclass(frozen=True)
class Row:
    """A row of a table: one request, or the labels of its members; and its probes."""

    what: str
    here: str
    note: str
    probes: tuple[Probe, ...]
    members: tuple["Member", ...] = ()  # of a row of members: one for each probe
    only: str = ""  # "alone": it changes what others have; "root": an ordinary user may lack what it takes

    def __post_init__(self) -> None:
        """Refuse a row whose probes would not show that it is so."""
        for probe in self.probes:
            last = probe[-1]
            if self.here == REFUSED:
                assert last.status >= 400 or last.shows == UNSTARTED, f"{self.what}: {last.path} is not refused"
            else:
                assert any(ask.status < 400 for ask in probe), f"{self.what}: {last.path} is refused"
            if self.here != ACCEPTED:
                assert any(ask.shows for ask in probe), f"{self.what}: nothing is to be seen of it"
        assert self.probes, f"{self.what}: nothing shows it"
