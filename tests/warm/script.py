"""script - a script of the corpus and what its first comment lines ask for.

A directive is a line `# word: value` among the comment lines that a script begins with:

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
    mask: REGEX         what may differ; a comment below says why
    status: 1           the exit status that a cold run must have [0]
    warm: auto          the engine may decline and run it cold [require]
    runs: 3             warm runs in a row, each like the cold one [1]
    differs: yes        no two runs print the same; only status and stderr are compared
    known: REASON       a difference that stays (see the README's limits): status and files are
                        compared, and the two outputs must still differ, or the note is stale

Values of stdin and files know backslash escapes, or are a Python expression: b"a" * 3.
A directory NAME.d beside NAME.py is copied beside the script, too.

    script              python3 /code/script.py            -c       python3 -c TEXT
    code                --code, without a command          -m NAME  python3 -m NAME, in /code
    dir, zip            python3 /code/app, /code/app.zip   stdin    python3 - < TEXT
    missing             python3 /code/missing.py           $ WORDS  this command line
"""

import codecs
import io
import re
import shlex
import shutil
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

DIRECTIVE = re.compile(r"# ([a-z]+): ?(.*)")


@dataclass
class Script:
    """One script; the fields are the directives, parsed."""

    name: str
    text: bytes
    companion: Path
    argv: list[str] = field(default_factory=list)
    stdin: bytes | None = None
    env: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    how: str = "script"
    files: dict[str, bytes] = field(default_factory=dict)
    needs: list[str] = field(default_factory=list)
    mask: list[bytes] = field(default_factory=list)
    status: int = 0
    warm: str = "require"
    runs: int = 1
    differs: bool = False
    known: str = ""

    @property
    def topic(self) -> str:
        """Return the first word of the name."""
        return self.name.partition("_")[0]

    @property
    def image(self) -> str:
        """Return the image that has what the script needs."""
        return "python" if self.needs else "host"

    def masked(self, text: bytes) -> bytes:
        """Return an output without what may differ."""
        for regex in self.mask:
            text = re.sub(regex, b"<masked>", text, flags=re.MULTILINE)
        return text

    def lay_out(self, folder: Path) -> None:
        """Write the script and what belongs beside it into a directory, as /code will show it."""
        beside = folder / "app" if self.how == "dir" else folder
        if self.companion.is_dir():
            shutil.copytree(self.companion, beside, symlinks=True, dirs_exist_ok=True)
        beside.mkdir(exist_ok=True)
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
            return shlex.split(self.how[2:])
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
    """Return the scripts of a directory, by name."""
    return [parse(file) for file in sorted(folder.glob("*.py"))]


def parse(file: Path) -> Script:
    """Return one script; raise ValueError for a directive that is not known."""
    script = Script(file.stem, file.read_bytes(), file.with_suffix(".d"))
    for line in script.text.decode().splitlines():
        if not line.startswith("#"):
            break
        if found := DIRECTIVE.fullmatch(line):
            try:
                _apply(script, *found.groups())
            except Exception as error:
                raise ValueError(f"{file}: {line}: {error!r}") from error
    if not re.fullmatch(r"script|code|dir|zip|missing|stdin|-c|-m \S+|\$ .+", script.how):
        raise ValueError(f"{file}: how: {script.how}")
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
    elif word in ("how", "warm", "known"):
        setattr(script, word, value)
    elif word in ("status", "runs"):
        setattr(script, word, int(value))
    elif word == "differs":
        script.differs, script.runs = True, max(script.runs, 3)
    else:
        raise KeyError(word)


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
