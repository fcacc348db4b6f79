"""What a cold run shows, a warm run shows: every script of corpus/, both ways, byte for byte.

A script runs with --warm=never and with --warm=require, with the same flags; stdout, stderr,
the exit status and what is left in {out} are compared. script.py explains the files and the
directives. A class per topic, which is a file; each has a warm supervisor of its own.

GLOVEBOX_CORPUS_SELF=1 compares cold with cold, without --warm: that every script is
deterministic, and ends with the status that it names. GLOVEBOX_CORPUS_IMAGE=NAME has the scripts run
in another image than `host`, to see another Python. The runner says at its end how many scripts with
`warm: auto` were served cold.
"""

import contextlib
import difflib
import functools
import os
import shutil
import stat
import tempfile
import unittest
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from script import CORPUS, Script, read_corpus
from support.case import Case
from support.run import GLOVEBOX, OWNER, Result, execute, glovebox
from support.supervisor import Supervisor

SELF = os.environ.get("GLOVEBOX_CORPUS_SELF") == "1"


class Corpus(Case):
    """Scripts of one topic, and the warm supervisor that serves them."""

    scripts: list[Script]
    supervisors: dict[str, Supervisor]  # by image
    nobody: Path  # where no supervisor listens
    tally: Counter[str]

    @classmethod
    def setUpClass(cls) -> None:
        """Start a warm supervisor for the images that the scripts use."""
        super().setUpClass()
        cls.tally = Counter()
        cls.nobody = Path(tempfile.mkdtemp(prefix="run-"))
        cls.addClassCleanup(shutil.rmtree, cls.nobody, ignore_errors=True)
        cls.images = {"host"} | set(_images())
        here = sorted({script.image for script in cls.scripts} & cls.images)
        cls.versions = {image: _version(image) for image in here}
        cls.supervisors = {}
        for image in [] if SELF else here:
            cls.supervisors[image] = Supervisor("--trust-image", image=image)
            cls.addClassCleanup(cls.supervisors[image].stop)

    def compare(self, script: Script) -> None:
        """Run a script cold, then warm, and compare what can be seen of it."""
        if script.image not in self.images:
            self.skipTest(f"cannot: needs {' '.join(script.needs)}: there is no image `python`")
        if script.program and not _has_program(script.image, script.program):
            self.skipTest(f"cannot: the image {script.image} has no {script.program}")
        script = script.of(self.versions[script.image])
        cold, cold_tree = self.run_script(script, "never")
        self.assert_status(cold, script.status)
        outputs = [cold.stdout]
        for number in range(script.runs):
            with self.counted(script):
                warm, warm_tree = self.run_script(script, script.warm)
            outputs.append(warm.stdout)
            if script.known and not (script.unless and _has_same_ids()):
                self.compare_known(cold, cold_tree, warm, warm_tree)
                continue
            found = [
                _difference("exit status", f"{cold.status}".encode(), f"{warm.status}".encode()),
                _difference("stderr", script.masked(cold.stderr), script.masked(warm.stderr)),
                _difference("files", "".join(cold_tree).encode(), "".join(warm_tree).encode()),
            ]
            if not script.differs:
                masked = script.masked(cold.stdout), script.masked(warm.stdout)
                found.insert(0, _difference("stdout", *masked))
            if any(found):
                self.fail(f"warm run {number + 1} of {script.name}\n{''.join(found)}")
        if script.differs:
            self.assertEqual(len(outputs), len(set(outputs)), f"the same twice in {outputs}")

    @contextlib.contextmanager
    def counted(self, script: Script) -> Iterator[None]:
        """Count how a run is served that the engine may decline."""
        if SELF or script.warm != "auto":
            yield
            return
        supervisor = self.supervisors[script.image]
        before = supervisor.status()["served"]
        yield
        how = "cold" if supervisor.status()["served"] == before else "warm"
        self.tally[f"runs with `warm: auto` that were served {how}"] += 1

    def compare_known(self, cold: Result, cold_tree, warm: Result, warm_tree) -> None:
        """Compare what must be equal all the same; cold with cold there is no difference."""
        self.assertEqual((cold.status, cold_tree), (warm.status, warm_tree))
        if not SELF:
            self.assertNotEqual((cold.stdout, cold.stderr), (warm.stdout, warm.stderr), "no more")

    def run_script(self, script: Script, mode: str) -> tuple[Result, list[str]]:
        """Run a script once; return how it ended and what is in its output directory."""
        place = Path(tempfile.mkdtemp(dir=self.folder))
        code, out = place / "code", place / "out"
        for folder in (code, out):
            folder.mkdir()
            folder.chmod(0o755)
        os.chown(out, *OWNER)
        script.lay_out(code)
        warm = [] if SELF else [f"--warm={mode}"]
        arguments = script.arguments(code, out, place / "source")
        command = [GLOVEBOX, "run", *warm, *arguments]
        place = self.nobody if SELF else self.supervisors[script.image].runtime
        result = execute(command, stdin=script.given, env={"XDG_RUNTIME_DIR": str(place)})
        return result, _tree(out)


@functools.cache
def _has_same_ids() -> bool:
    """Say whether our ids are those that a program has inside."""
    return glovebox("run", "--warm=never", "host", "sh", "-c", "id -u; id -g").out.split() == [
        str(os.geteuid()),
        str(os.getegid()),
    ]


def _version(image: str) -> tuple[int, int]:
    """Return the version of an image's Python."""
    said = glovebox("run", "--warm=never", image, "python3", "-c", "import sys; print(*sys.version_info[:2])")
    major, minor = map(int, said.out.split())
    return major, minor


@functools.cache
def _has_program(image: str, name: str) -> bool:
    """Say whether an image has a program on its PATH."""
    return glovebox("run", "--warm=never", image, "sh", "-c", f"command -v {name}").status == 0


def _images() -> list[str]:
    """Return the names of the images that are in the store."""
    rows = [line.split() for line in glovebox("image", "ls").out.splitlines()[1:]]
    return [name for name, tag, *_ in rows if tag == "latest"]


def _tree(top: Path) -> list[str]:
    """Return one line per entry of a directory: kind, mode, owner, links, content."""
    lines = []
    for path in [top, *sorted(top.rglob("*"))]:
        about = path.lstat()
        content: object = ""
        if stat.S_ISLNK(about.st_mode):
            content = os.readlink(path)
        elif stat.S_ISREG(about.st_mode):
            content = path.read_bytes()
        owner = f"{about.st_uid}:{about.st_gid}"
        mode = stat.filemode(about.st_mode)
        links = "" if path.is_dir() else about.st_nlink  # ext4 and tmpfs count directories apart
        lines.append(f"{mode} {owner} {links} {path.relative_to(top)} {content!r}\n")
    return lines


def _difference(what: str, cold: bytes, warm: bytes) -> str:
    """Return how two outputs differ, or an empty string."""
    if cold == warm:
        return ""
    if max(len(cold), len(warm)) > 20_000:
        at = len(os.path.commonprefix([cold, warm]))
        cold, warm = cold[max(at - 100, 0) : at + 200], warm[max(at - 100, 0) : at + 200]
        what = f"{what}, around byte {at}"
    lines = ([_shown(line) for line in text.splitlines(keepends=True)] for text in (cold, warm))
    diff = difflib.unified_diff(*lines, f"{what}, cold", f"{what}, warm", lineterm="")
    return "\n".join(diff) + "\n"


def _shown(line: bytes) -> str:
    """Return a line as text, its end marked if it is not an ordinary one."""
    text = line.decode(errors="backslashreplace")
    return text[:-1] if text.endswith("\n") and text[:-1].isprintable() else repr(text)


def _test(script: Script) -> Callable[[Corpus], None]:
    def test(self: Corpus) -> None:
        self.compare(script)

    test.__doc__ = f"corpus/{script.topic}.txt: {script.name}"
    return test


def _make_classes() -> dict[str, type[unittest.TestCase]]:
    """Return one class per topic, with one test per script."""
    topics: dict[str, list[Script]] = {}
    for script in read_corpus(CORPUS):
        topics.setdefault(script.topic, []).append(script)
    classes = {}
    for topic, scripts in topics.items():
        tests = {f"test_{s.name.partition('_')[2]}": _test(s) for s in scripts}
        body = {"__module__": __name__, "__doc__": topic, "scripts": scripts, **tests}
        body["quick"] = tuple(tests)[:1]
        name = f"{topic.capitalize()}Scripts"
        classes[name] = type(name, (Corpus,), body)
    return classes


globals().update(_make_classes())
