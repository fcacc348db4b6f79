"""mover - mover (runtime/mover/files.h) as a program of its own, in a directory of a test."""

import dataclasses
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

from support.run import GLOVEBOX
from support.times import DEADLINE

MOVER = Path(GLOVEBOX).resolve().parent.parent / "guest/mover"
FINE, FAILED, NOT_WANTED, TOO_LARGE, TOO_MANY, CUT, LOST = range(7)
SAID = struct.Struct("=6I2QI320s4x")
ENTRY = struct.Struct("=QQqIHH")


@dataclasses.dataclass
class Said:
    """The answer of mover (runtime/base/files_said.h)."""

    wrong: int
    error: int
    mode: int
    entries: int
    unread: int
    is_cut: int
    size: int
    bytes: int
    has_grown: int
    path: bytes
    out: bytes = b""

    @property
    def failure(self) -> int:
        """Return the errno; 0: it is another failure, or none."""
        return self.error if self.wrong == FAILED else 0


def pieces(content: bytes, last: bool = True) -> bytes:
    """Return a content as `write` reads it."""
    out = b""
    for at in range(0, len(content), 50_000):
        piece = content[at : at + 50_000]
        out += struct.pack("=I", len(piece)) + piece
    return out + (bytes(4) if last else b"")


class FilesCase(unittest.TestCase):
    """A test with a directory in which mover works, and one beside it that stays as it is."""

    def setUp(self) -> None:
        """Make both."""
        self.folder = Path(tempfile.mkdtemp(prefix="mover-files-"))
        self.addCleanup(self.clean)
        self.inside = self.folder / "inside"
        self.outside = self.folder / "outside"
        for place in (self.inside, self.outside):
            place.mkdir()
        (self.outside / "kept").write_text("kept")

    def clean(self) -> None:
        """Nothing outside has changed; remove all, however deep."""
        self.assertEqual({p.name: p.read_text() for p in self.outside.iterdir()}, {"kept": "kept"})
        subprocess.run(["chmod", "-R", "u+rwx", self.folder], check=False, capture_output=True)
        subprocess.run(["rm", "-rf", self.folder], check=True)

    def ask(self, verb: str, path: str | bytes, *words: str, stdin: bytes = b"") -> Said:
        """Run a verb to its end."""
        command: list[str | bytes | Path] = [MOVER, verb, self.inside, path, *words]
        done = subprocess.run(command, input=stdin, capture_output=True, timeout=DEADLINE, check=False)
        self.assertEqual(len(done.stderr), SAID.size, done.stderr)
        said = Said(*SAID.unpack(done.stderr), out=done.stdout)
        said.path = said.path.rstrip(b"\0")
        self.assertEqual(done.returncode, said.wrong != FINE)
        return said

    def write(self, path: str | bytes, content: bytes, mode: str = "0644") -> Said:
        """Write a file."""
        return self.ask("write", path, mode, stdin=pieces(content))

    def read(self, path: str | bytes, most: int = 1 << 30) -> Said:
        """Read one."""
        return self.ask("read", path, str(most))

    def list(self, path: str | bytes = b"", depth: int = 64, most: int = 10_000) -> tuple[Said, dict[bytes, tuple[int, ...]], list[bytes]]:
        """Return the answer, the entries by path, and the paths in the order of their coming."""
        said = self.ask("list", path, str(depth), str(most))
        entries = {}
        order = []
        at = 0
        while at < len(said.out):
            *fields, path_bytes, target_bytes = ENTRY.unpack_from(said.out, at)
            at += ENTRY.size
            name, target = said.out[at : at + path_bytes], said.out[at + path_bytes : at + path_bytes + target_bytes]
            at += path_bytes + target_bytes
            entries[name] = (*fields, target)
            order.append(name)
        self.assertEqual(len(order), said.entries)
        return said, entries, order
