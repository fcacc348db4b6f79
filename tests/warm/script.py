"""script - a script of the corpus and what its first comment lines ask for.

A file of corpus/ is a topic. A script begins below a line with its name, and ends where the next
one begins; a symbolic link beside it is a line below it:

    ##### the_name_of_a_script
    print(1)
    ##### the_next_one
    print(2)
    === link link.py -> real/target.py

`python3 script.py TOPIC_NAME` prints one. A directive is a line `# word: value` among the comment lines
that a script begins with:

    argv: a 'b c'       arguments, split as a shell does
    stdin: text\\n       what the program reads; without it, stdin is /dev/null
    env: A=1            a variable; may be repeated
    flags: --memory 64m flags of `glovebox run`; {out} becomes an empty directory that is
                        compared afterwards, {code} the directory with the files below;
                        {long}, here and in argv, is 100 kB of x
    how: script         the command, see below
    files: a.py=X = 1\\n a file beside the script; may be repeated. `script.py=` replaces the
                        script itself, for bytes that must not be in this repository
    needs: numpy        packages: the script runs in the image `python`
    program: python     a program that not every image has; without it the script cannot run there
    mask: REGEX         what may differ; a comment below says why
    status: 1           the exit status that a cold run must have [0]
    warm: auto          the engine may decline and run it cold [require]
    runs: 3             warm runs in a row, each like the cold one [1]
    differs: yes        no two runs print the same; only status and stderr are compared
    known: REASON       a difference that stays (see docs/warm.md): status and files are
                        compared, and the two outputs must still differ, or the note is stale
    unless: same-ids    not known for a user who has the same ids inside and outside (mostly 1000):
                        there all is compared

A directive may be for some versions of Python: `# status 3.12-: 1`, `# known -3.11: REASON`; in a
command line {python} is the program by its version: python3.11, {byte} one that is no UTF-8.

Values of stdin and files know backslash escapes, or are a Python expression: b"a" * 3.

    script              python3 /code/script.py            -c       python3 -c TEXT
    code                --code, without a command          -m NAME  python3 -m NAME, in /code
    dir, zip            python3 /code/app, /code/app.zip   stdin    python3 - < TEXT
    missing             python3 /code/missing.py           $ WORDS  this command line
"""

import codecs
import copy
import io
import os
import re
import shlex
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

CORPUS = Path(__file__).resolve().parent / "corpus"
NAME = re.compile(r"##### (\w+)")
LINK = re.compile(r"=== link (\S+) -> (\S+)")
DIRECTIVE = re.compile(r"# ([a-z]+)( [-.0-9]+)?: ?(.*)")
VERSIONS = re.compile(r"(?:(\d+)\.(\d+))?-(?:(\d+)\.(\d+))?")
HOST = os.environ.get("GLOVEBOX_CORPUS_IMAGE", "host")  # what the scripts run in that need nothing


@dataclass
class Script:
    """One script; the fields are the directives, parsed."""

    name: str
    text: bytes
    links: dict[str, str] = field(default_factory=dict)
    argv: list[str] = field(default_factory=list)
    stdin: bytes | None = None
    env: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    how: str = "script"
    files: dict[str, bytes] = field(default_factory=dict)
    needs: list[str] = field(default_factory=list)
    program: str = ""
    mask: list[bytes] = field(default_factory=list)
    status: int = 0
    warm: str = "require"
    runs: int = 1
    differs: bool = False
    known: str = ""
    unless: str = ""
    of_versions: list[tuple[str, str, str]] = field(default_factory=list)
    version: tuple[int, int] = (0, 0)

    def of(self, version: tuple[int, int]) -> "Script":
        """Return the script as it is for a version of Python."""
        script = copy.deepcopy(self)
        script.version = version
        for versions, word, value in self.of_versions:
            if _is_within(versions, version):
                _apply(script, word, value)
        return script

    @property
    def topic(self) -> str:
        """Return the first word of the name."""
        return self.name.partition("_")[0]

    @property
    def image(self) -> str:
        """Return the image that has what the script needs."""
        return "python" if self.needs else HOST

    def masked(self, text: bytes) -> bytes:
        """Return an output without what may differ."""
        for regex in self.mask:
            text = re.sub(regex, b"<masked>", text, flags=re.MULTILINE)
        return text

    def lay_out(self, folder: Path) -> None:
        """Write the script and what belongs beside it into a directory, as /code will show it."""
        beside = folder / "app" if self.how == "dir" else folder
        beside.mkdir(exist_ok=True)
        for name, target in self.links.items():
            (beside / name).symlink_to(target)
        for name, content in self.files.items():
            (beside / name).parent.mkdir(parents=True, exist_ok=True)
            (beside / name).write_bytes(content)
        if self.how == "dir":
            (beside / "__main__.py").write_bytes(self.text)
        elif self.how == "zip":
            (folder / "app.zip").write_bytes(self._zipped())
        elif not (folder / "script.py").exists():
            (folder / "script.py").write_bytes(self.text)

    def _zipped(self) -> bytes:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for name, content in {"__main__.py": self.text, **self.files}.items():
                archive.writestr(zipfile.ZipInfo(name, (2020, 1, 2, 3, 4, 6)), content)
        return packed.getvalue()

    def arguments(self, code: Path, out: Path, source: Path) -> list[str]:
        """Return the command line behind `glovebox run`; `source` will hold --code's file."""
        places = {"{code}": str(code), "{out}": str(out), "{long}": "x" * 100_000}
        flags = [*(_fill(word, places) for word in self.flags), *(w for pair in self.env for w in ("-e", pair))]
        if self.given is not None:
            flags.append("-i")
        if self.how == "code":
            source.write_bytes(self.text)
            return [*flags, "--code", str(source), self.image, *self.argv]
        if "{code}" not in " ".join(self.flags):
            alone = [entry.name for entry in code.iterdir()] == ["script.py"]
            only = "/script.py" if alone and self.how == "script" else ""
            flags += ["-v", f"{code}{only}:/code{only}:ro"]
        if self.how.startswith("-m ") and not {"-w", "--workdir"} & set(self.flags):
            flags += ["-w", "/code"]
        argv = [_fill(word, places) for word in self.argv]
        return [*flags, self.image, *self._command(), *argv]

    def _command(self) -> list[str]:
        if self.how.startswith("$ "):
            name = "python{}.{}".format(*self.version)
            return shlex.split(self.how[2:].replace("{python}", name).replace("{byte}", "\udcff"))
        return ["python3"] + {
            "script": ["/code/script.py"],
            "missing": ["/code/missing.py"],
            "dir": ["/code/app"],
            "zip": ["/code/app.zip"],
            "stdin": ["-"],
            "-c": ["-c", self.text.decode()],
        }.get(self.how, self.how.split())

    @property
    def given(self) -> bytes | None:
        """Return what the program reads from stdin."""
        return self.text + (self.stdin or b"") if self.how == "stdin" else self.stdin


def read_corpus(folder: Path) -> list[Script]:
    """Return the scripts of all topics, by name; raise ValueError for what is not understood."""
    return [script for file in sorted(folder.glob("*.txt")) for script in read_topic(file)]


def read_topic(file: Path) -> Iterator[Script]:
    """Yield the scripts of a file in their order."""
    if not (text := file.read_bytes().decode()).endswith("\n"):
        raise ValueError(f"{file}: the last line has no end")
    script = None
    names = set()
    for number, line in enumerate(text.split("\n")[:-1], 1):
        if line.startswith("#####"):
            if script:
                yield _parsed(script, file)
            found = NAME.fullmatch(line)
            if not found or found[1] in names:
                raise ValueError(f"{file}:{number}: no name, or one for the second time: {line}")
            names.add(found[1])
            script = Script(f"{file.stem}_{found[1]}", b"")
        elif script is None or (script.links and not line.startswith("=== ")):
            raise ValueError(f"{file}:{number}: not part of a script: {line}")
        elif line.startswith("=== "):
            if not (found := LINK.fullmatch(line)):
                raise ValueError(f"{file}:{number}: not `=== link NAME -> TARGET`: {line}")
            script.links[found[1]] = found[2]
        else:
            script.text += f"{line}\n".encode()
    if script:
        yield _parsed(script, file)


def _parsed(script: Script, file: Path) -> Script:
    """Enter the directives of a script and return it."""
    for line in script.text.decode().split("\n"):
        if not line.startswith("#"):
            break
        if found := DIRECTIVE.fullmatch(line):
            word, versions, value = found.groups()
            try:
                if versions:
                    _is_within(versions.strip(), (3, 0))
                    script.of_versions.append((versions.strip(), word, value))
                else:
                    _apply(script, word, value)
            except Exception as error:
                raise ValueError(f"{file}: {script.name}: {line}: {error!r}") from error
    if not re.fullmatch(r"script|code|dir|zip|missing|stdin|-c|-m \S+|\$ .+", script.how):
        raise ValueError(f"{file}: {script.name}: how: {script.how}")
    return script


def _apply(script: Script, word: str, value: str) -> None:
    """Enter one directive."""
    if word in ("argv", "flags"):
        getattr(script, word).extend(shlex.split(value))
    elif word == "needs":
        script.needs.extend(value.split())
    elif word == "env":
        script.env.append(value)
    elif word == "stdin":
        script.stdin = _bytes(value)
    elif word == "files":
        name, _, content = value.partition("=")
        script.files[name] = _bytes(content)
    elif word == "mask":
        re.compile(value.encode())
        script.mask.append(value.encode())
    elif word in ("how", "warm", "known", "program"):
        setattr(script, word, value)
    elif word == "unless" and value == "same-ids":
        script.unless = value
    elif word in ("status", "runs"):
        setattr(script, word, int(value))
    elif word == "differs":
        script.differs, script.runs = True, max(script.runs, 3)
    else:
        raise KeyError(word)


def _is_within(versions: str, version: tuple[int, int]) -> bool:
    """Say whether a version is one of "3.9-3.11", "3.12-" or "-3.11"."""
    found = VERSIONS.fullmatch(versions)
    if not found:
        raise ValueError(versions)
    first, last = (0, 0), (99, 99)
    if found[1]:
        first = int(found[1]), int(found[2])
    if found[3]:
        last = int(found[3]), int(found[4])
    return first <= version <= last


def _fill(word: str, places: dict[str, str]) -> str:
    """Return a word of the command line with its places filled in."""
    for name, value in places.items():
        word = word.replace(name, value)
    return word


def _bytes(value: str) -> bytes:
    """Return the bytes that a value means: escapes, or an expression such as b"x" * 9."""
    if value.startswith(("b'", 'b"')):
        return eval(value, {"__builtins__": {}})  # ours, from this repository
    return codecs.escape_decode(value.encode())[0]


if __name__ == "__main__":
    wanted = [s for s in read_corpus(CORPUS) if s.name == sys.argv[1]]
    if not wanted:
        sys.exit(f"no script {sys.argv[1]} in {CORPUS}")
    sys.stdout.buffer.write(wanted[0].text)
