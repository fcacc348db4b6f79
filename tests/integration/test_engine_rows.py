"""The rows of docs/engine.md, each asked of an Engine: what the page says of a request, or of a member, is so."""

import json
import re
import subprocess
import sys
import time
import unittest
from collections.abc import Iterable
from typing import Any

from engine_asks import LAST, REFUSED, Ask, Probe, Row
from engine_members import MEMBERS
from engine_routes import BUILDS, CONTAINERS, EXECS, IMAGES, OTHERS, SYSTEM, UPDATES, VOLUMES
from support.engine import UPGRADE, WAITS, demultiplex, queried
from support.run import IS_ROOT, ROOT, parallel
from test_engine_images import TAR, ImagesCase

AT_ONCE = 4
TOLD = 2000
FRAMED = "application/vnd.docker.multiplexed-stream"


def has(found: Any, wanted: Any) -> bool:
    """Tell whether a part of a reply is there: of an object some members, of a list some items."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(key in found and has(found[key], wanted[key]) for key in wanted)
    if isinstance(wanted, list):
        items = found if isinstance(found, list) else [found]
        return all(any(has(one, item) for one in items) for item in wanted)
    return isinstance(found, wanted) if isinstance(wanted, type) else found == wanted


def parsed(text: str) -> Any:
    """Return JSON, or a list of what are lines of it."""
    lines = [json.loads(line) for line in text.splitlines()]
    return lines[0] if len(lines) == 1 else lines


class Asker:
    """One who performs a probe, and knows what its names stand for."""

    def __init__(self, case: "RowsCase", probe: Probe) -> None:
        """Begin."""
        self.engine = case.engine
        self.last = b""
        self.names = {"IMAGE": "base:2", "HERE": str(case.here), "NOW": f"{time.time() + 1:.3f}"}
        if '"ONE' in repr(probe).replace("'", '"').replace("/", '"'):
            self.names["ONE"] = case.running("sh", "-c", WAITS)

    def filled(self, thing: Any) -> Any:
        """Return a thing with the names replaced."""
        if isinstance(thing, str):
            return re.sub(r"\b(ONE|ID|EXEC|IMAGE|HERE|NOW)\b", lambda found: self.names.get(found[0], found[0]), thing)
        if isinstance(thing, dict):
            return {key: self.filled(value) for key, value in thing.items()}
        return [self.filled(item) for item in thing] if isinstance(thing, list | tuple) else thing

    def wrong(self, asks: Iterable[Ask]) -> str:
        """Make requests; return which answer was another than it is to be."""
        return next(filter(None, map(self.wrong_one, asks)), "")

    def wrong_one(self, ask: Ask) -> str:
        """Make one."""
        begun = time.monotonic()
        path, body, shows = (self.filled(part) for part in (ask.path, ask.body, ask.shows))
        path += queried(self.filled(ask.query))
        try:
            status, text, wrong = self.answer(ask, path, body)
        except (OSError, AssertionError) as error:
            return f"{ask.method} {path}: {error}"
        took = time.monotonic() - begun
        if wrong:
            return wrong
        if status != ask.status:
            return f"{ask.method} {path}: {status} {text[:TOLD]}, not {ask.status}"
        if shows is not None and not (shows in text if isinstance(shows, str) else has(parsed(text), shows)):
            return f"{ask.method} {path}: {text[:TOLD]} does not show {shows}"
        if ask.within and took > ask.within:
            return f"{ask.method} {path} took {took:.1f} s, and not below {ask.within} s"
        if found := re.match(r'\{"Id":"(\w+)"', text):
            self.names[ask.names] = found[1]
        return ""

    def answer(self, ask: Ask, path: str, body: Any) -> tuple[int, str, str]:
        """Return the status and the text of an answer, and what went wrong meanwhile."""
        if ask.typed is None and not ask.meanwhile:
            body = self.last if body == LAST else body
            answer = self.engine.request(ask.method, path, body, TAR if isinstance(body, bytes) else {})
            self.last = answer.body
            framed = answer.headers["Content-Type"] == FRAMED
            return answer.status, self.text(answer.body, framed), ""
        headers = {} if ask.typed is None else UPGRADE
        with self.engine.stream(ask.method, path, body, headers) as stream:
            if wrong := self.wrong(ask.meanwhile):
                return stream.status, "", wrong
            if ask.typed is None:
                return stream.status, stream.text(), ""
            stream.send(ask.typed)
            stream.end()
            return stream.status, self.text(stream.read(), stream.headers["Content-Type"] == FRAMED), ""

    def text(self, data: bytes, framed: bool) -> str:
        """Return bytes of a reply as text."""
        return (b"".join(demultiplex(data)) if framed else data).decode(errors="replace")


class RowsCase(ImagesCase):
    """Probes are performed beside each other, each with names of its own."""

    def setUp(self) -> None:
        """Have what they name."""
        super().setUp()
        self.here = self.subfolder("here")
        (self.here / "file").write_text("content\n")
        self.send("/images/create?fromSrc=-&repo=base&tag=2&changes=EXPOSE%208080", self.base)

    def perform(self, named: Iterable[tuple[str, Probe]], at_once: int = AT_ONCE) -> None:
        """Perform probes; each that is not answered so fails, by the name of its row."""
        probes = [*named]
        found = parallel(lambda one: Asker(self, one[1]).wrong(one[1]), probes, at_once)
        for (name, _), wrong in zip(probes, found, strict=True):
            with self.subTest(name):
                if wrong:
                    self.fail(wrong)


class Requests(RowsCase):
    """What the page says of requests."""

    def perform_rows(self, rows: Iterable[Row]) -> None:
        """Perform what rows ask; those that change what others have come last."""
        rows = [row for row in rows if row.only != "root" or IS_ROOT]
        for alone in (False, True):
            named = [(f"{row.what} {row.here}", probe) for row in rows for probe in row.probes if alone == (row.only == "alone")]
            self.perform(named, 1 if alone else AT_ONCE)

    def test_containers(self) -> None:
        self.perform_rows(row for row in CONTAINERS if row not in UPDATES)

    def test_updates(self) -> None:
        self.perform_rows(UPDATES)

    def test_execs_and_the_engine(self) -> None:
        self.perform_rows((*SYSTEM, *EXECS, *OTHERS))

    def test_volumes_and_builds(self) -> None:
        self.perform_rows((*VOLUMES, *BUILDS))

    def test_images(self) -> None:
        self.perform_rows(IMAGES)


class Members(RowsCase):
    """What it says of members of a create."""

    def test_members(self) -> None:
        self.perform((member.label, member.asks) for row in MEMBERS for member in row.members if row.here != REFUSED)

    def test_refused_members(self) -> None:
        """And nothing is made."""
        self.perform((member.label, member.asks) for row in MEMBERS for member in row.members if row.here == REFUSED)
        self.assertEqual(self.engine.get("/containers/json", all="1").json, [])


class Page(unittest.TestCase):
    """The page, and the sources."""

    def test_the_page_has_these_rows(self) -> None:
        table = ROOT / "tests/integration/engine_table.py"
        done = subprocess.run([sys.executable, table, "--check"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
