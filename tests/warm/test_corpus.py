"""What a cold run shows, a warm run shows: every script of corpus/, both ways, byte for byte.

A script runs with --warm=never and with --warm=require, with the same flags; stdout, stderr,
the exit status and what is left in {out} are compared. script.py explains the directives. A
class per topic, the first word of a script's name; each has a warm supervisor of its own.

GLOVEBOX_CORPUS_SELF=1 compares cold with cold, without --warm: that every script is
deterministic, and ends with the status that it names.
"""

import difflib
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path

from script import Script, read_corpus

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "integration"))

from harness import DEADLINE, GLOVEBOX, OWNER, Case, Result, execute, glovebox  # noqa: E402

SELF = os.environ.get("GLOVEBOX_CORPUS_SELF") == "1"
POOL = "2"


class Corpus(Case):
    """Scripts of one topic, and the warm supervisor that serves them."""

    scripts: list[Script]
    runtime: Path

    @classmethod
    def setUpClass(cls) -> None:
        """Start a warm supervisor for the images that the scripts use."""
        super().setUpClass()
        cls.runtime = Path(tempfile.mkdtemp(prefix="run-"))
        cls.addClassCleanup(shutil.rmtree, cls.runtime, ignore_errors=True)
        cls.images = {"host"} | set(_images())
        if SELF:
            return
        cls.addClassCleanup(cls.warm, "stop")
        for image in sorted({script.image for script in cls.scripts} & cls.images):
            cls.warm("start", "--image", image, "--pool", POOL)

    @classmethod
    def warm(cls, *args: str) -> None:
        """Run `glovebox warm`; its output goes to a file, which a daemon may keep open."""
        with tempfile.TemporaryFile() as said:
            done = subprocess.run(
                [GLOVEBOX, "warm", *args],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                env=dict(os.environ, XDG_RUNTIME_DIR=str(cls.runtime)),
                timeout=DEADLINE,
            )
            said.seek(0)
            if done.returncode:
                text = said.read().decode(errors="replace")
                raise AssertionError(f"glovebox warm {' '.join(args)}: {done.returncode}\n{text}")

    def compare(self, script: Script) -> None:
        """Run a script cold, then warm, and compare what can be seen of it."""
        if script.image not in self.images:
            self.skipTest(f"cannot: needs {' '.join(script.needs)}: there is no image `python`")
        cold, cold_tree = self.run_script(script, "never")
        self.assert_status(cold, script.status)
        outputs = [cold.stdout]
        for number in range(script.runs):
            warm, warm_tree = self.run_script(script, script.warm)
            outputs.append(warm.stdout)
            if script.known:
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
                self.fail(f"warm run {number + 1} of {script.name}.py\n{''.join(found)}")
        if script.differs:
            self.assertEqual(len(outputs), len(set(outputs)), f"the same twice in {outputs}")

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
        env = {"XDG_RUNTIME_DIR": str(self.runtime)}
        result = execute(command, stdin=script.given, env=env)
        return result, _tree(out)


def _images() -> list[str]:
    """Return the names of the images that are in the store."""
    listed = glovebox("image", "ls").out.splitlines()[1:]
    return [line.split()[0] for line in listed if line.split()]


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

    test.__doc__ = f"corpus/{script.name}.py"
    return test


def _make_classes() -> dict[str, type[unittest.TestCase]]:
    """Return one class per topic, with one test per script."""
    topics: dict[str, list[Script]] = {}
    for script in read_corpus(HERE / "corpus"):
        topics.setdefault(script.topic, []).append(script)
    classes = {}
    for topic, scripts in topics.items():
        tests = {f"test_{s.name.partition('_')[2]}": _test(s) for s in scripts}
        body = {"__module__": __name__, "__doc__": topic, "scripts": scripts, **tests}
        name = f"{topic.capitalize()}Scripts"
        classes[name] = type(name, (Corpus,), body)
    return classes


globals().update(_make_classes())

if __name__ == "__main__":
    unittest.main()
