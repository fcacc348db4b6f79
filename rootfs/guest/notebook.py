"""notebook - get_ipython() of a session, where there is no notebook.

dialect.py makes calls of get_ipython() of the lines of a notebook. What they do here is true here: a shell
line runs in the sandbox, %pip without a network says what to do, what only a notebook has is dropped.

An image without IPython has a small one of ours (displayed.py); one that has it keeps its
own, but for display() and get_ipython(), so that what is displayed goes where display() of a session has it go.
"""

from __future__ import annotations

import builtins

__builtins__ = dict(vars(builtins))  # of the functions below; from here on only theirs

import re
import sys
from collections.abc import Callable
from time import perf_counter, process_time
from types import ModuleType
from typing import Any

import displayed
from look import described

DROPPED = {"matplotlib", "config", "load_ext", "reload_ext", "autoreload", "colors", "precision", "pylab", "autosave"}
SHELL = {"ls", "cat", "mkdir", "rm", "cp", "mv", "head", "tail", "wc", "grep", "find", "touch", "du", "df", "unzip", "tar"}
FETCHES = {"install", "download", "wheel"}
_PIP = re.compile(r"\s*(?:\S*python[\d.]*\s+-m\s+)?pip[\d.]*\s+(.*)", re.S)
_VARIABLE = re.compile(r"\$\$|\{\{|\}\}|\{([^{}\n]+)\}|\$([a-zA-Z_]\w*)")
NO_NETWORK = (
    "there is no network here, so nothing can be installed. Use what is installed, or have the image built "
    "with it (glovebox image build python --pip NAME), or the session begun with --egress pypi --writable\n"
)


class UsageError(Exception):
    """A line that cannot be understood here."""

    __module__ = "builtins"  # a traceback names it without a module


class _Events:
    """Takes what libraries would have called after a cell."""

    def register(self, *_: object) -> None:
        """Do nothing."""

    unregister = trigger = register


class Shell:
    """What get_ipython() returns."""

    config: dict = {}
    events = _Events()

    def __init__(self, names: dict, run: Callable[[str], object], page: Callable[[str], None] = print) -> None:
        self.user_ns = names
        self._page = page  # shows documentation
        self.run_cell = run  # executes a source and returns the value of its last expression

    # -- the shell -------------------------------------------------------------------------

    def system(self, command: str) -> None:
        """Run a line of the shell; its output is the session's."""
        pip = _PIP.match(command)
        if pip:
            self.pip(pip[1])
            return
        self.user_ns["_exit_code"] = self._shell(self.expand(command))

    def _shell(self, command: str, **options) -> int:
        import subprocess

        sys.stdout.flush()
        return subprocess.run(["/bin/sh", "-c", command], stdin=subprocess.DEVNULL, check=False, **options).returncode

    def getoutput(self, command: str) -> list[str]:
        """Run a line of the shell; return the lines that it printed."""
        import subprocess

        done = subprocess.run(
            ["/bin/sh", "-c", self.expand(command)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        return done.stdout.decode(errors="replace").splitlines()

    def expand(self, text: str) -> str:
        """Return a line with {expressions} and $names of the session's in it."""

        def value(found: re.Match) -> str:
            if found[0] in ("$$", "{{", "}}"):
                return found[0][0]
            try:
                return str(eval(found[1] or found[2], self.user_ns))
            except Exception:  # it is the shell's
                return found[0]

        return _VARIABLE.sub(value, text)

    def pip(self, words: str) -> None:
        """Run pip of this Python, unless it would wait for a network that is not there."""
        import subprocess

        arguments = self.expand(words).split()
        local = any(word.startswith(("--no-index", "--find-links", "-f", ".", "/")) for word in arguments)
        if arguments[:1] and arguments[0] in FETCHES and not local and not has_network():
            self._refuse("pip")
            return
        sys.stdout.flush()
        self.user_ns["_exit_code"] = subprocess.run(
            [sys.executable, "-m", "pip", *arguments], stdin=subprocess.DEVNULL, check=False
        ).returncode

    def _refuse(self, program: str) -> None:
        sys.stderr.write(f"{program}: {NO_NETWORK}")
        self.user_ns["_exit_code"] = 1

    # -- magics ----------------------------------------------------------------------------

    def run_line_magic(self, name: str, line: str = "", _stack_depth: int = 1) -> object:
        """Do what %name says."""
        if name in DROPPED:
            return None
        if name in SHELL:
            return self.system(f"{name} {line}")
        method = getattr(self, f"line_{name}", None)
        if method is None:
            raise UsageError(f"Line magic function `%{name}` is not known here")
        return method(line)

    magic = run_line_magic

    def run_cell_magic(self, name: str, line: str, cell: str) -> object:
        """Do what %%name says."""
        method = getattr(self, f"cell_{name}", None)
        if name in DROPPED:
            return self.run_cell(cell)
        if method is None:
            raise UsageError(f"Cell magic `%%{name}` is not known here")
        return method(line, cell)

    def line_time(self, line: str) -> object:
        """Run a statement and print how long it took."""
        return self._timed(line)

    def cell_time(self, _line: str, cell: str) -> object:
        """Run a cell and print how long it took."""
        return self._timed(cell)

    def _timed(self, source: str) -> object:
        wall, cpu = perf_counter(), process_time()
        try:
            return self.run_cell(source)
        finally:
            wall, cpu = perf_counter() - wall, process_time() - cpu
            print(f"CPU times: total: {cpu:.3g} s\nWall time: {wall:.3g} s")

    def line_timeit(self, line: str, cell: str = "") -> None:
        """Print how long a statement takes, of several tries the shortest."""
        import timeit

        words = re.sub(r"^(\s*-[nrp]\s*\d+|\s*-[qot])*\s*", "", line)
        setup, source = (words or "pass", cell) if cell else ("pass", words)
        timer = timeit.Timer(source, setup, globals=self.user_ns)
        number, _ = timer.autorange()
        print(f"{min(timer.repeat(3, number)) / number:.3g} s per loop (best of 3, {number} loops each)")

    cell_timeit = line_timeit

    def line_pip(self, line: str) -> None:
        """Run pip."""
        self.pip(line)

    def line_conda(self, _line: str) -> None:
        """Say that there is none."""
        self._refuse("conda")

    def line_pinfo(self, line: str) -> None:
        """Show what an object is."""
        self._page(described(line, eval(line, self.user_ns)))

    def line_cd(self, line: str) -> None:
        """Change the working directory."""
        import os

        os.chdir(os.path.expanduser(self.expand(line) or "~"))
        print(os.getcwd())

    def line_pwd(self, _line: str) -> str:
        """Return the working directory."""
        import os

        return os.getcwd()

    def line_env(self, line: str) -> object:
        """Return the environment or one of it, or set one."""
        import os

        name, sign, value = line.partition("=") if "=" in line else line.partition(" ")
        if sign:
            os.environ[name.strip()] = self.expand(value.strip())
            return None
        return os.environ.get(name) if name else dict(os.environ)

    set_env = line_set_env = line_env

    def line_who(self, _line: str) -> None:
        """Print the names that there are."""
        print("  ".join(name for name in self.user_ns if not name.startswith("_")))

    line_whos = line_who_ls = line_who

    def line_run(self, line: str) -> None:
        """Run a file in the session's namespace."""
        with open(self.expand(line.split()[0]), encoding="utf-8") as file:
            self.run_cell(file.read())

    def cell_capture(self, line: str, cell: str) -> None:
        """Run a cell without what Python prints."""
        import contextlib
        import io

        with contextlib.redirect_stdout(io.StringIO()) as out:
            self.run_cell(cell)
        if line.strip().isidentifier():
            self.user_ns[line.strip()] = out.getvalue()

    def cell_bash(self, _line: str, cell: str) -> None:
        """Run a cell in the shell."""
        status = self._shell(cell)
        if status:
            raise UsageError(f"the shell ended with status {status}")

    cell_sh = cell_script = cell_bash

    def cell_writefile(self, line: str, cell: str) -> None:
        """Write a cell into a file."""
        append = line.startswith("-a ")
        name = self.expand(line.removeprefix("-a ").strip())
        with open(name, "a" if append else "w", encoding="utf-8") as file:
            file.write(cell.lstrip("\n") + "\n")
        print(f"Writing {name}")

    cell_file = cell_writefile

    def cell_html(self, _line: str, cell: str) -> None:
        """Display a cell as HTML."""
        builtins.display(displayed.HTML(cell))

    def cell_markdown(self, _line: str, cell: str) -> None:
        """Display a cell as Markdown."""
        builtins.display(displayed.Markdown(cell))

    cell_HTML = cell_html


def has_network() -> bool:
    """Tell whether names can be looked up: a sandbox without a network has no servers for them."""
    try:
        with open("/etc/resolv.conf", encoding="utf-8", errors="replace") as file:
            return any(line.split()[:1] == ["nameserver"] for line in file)
    except OSError:
        return False


def install(shell: Shell, sink: Any, patches: dict) -> None:
    """Have get_ipython(), and an IPython if the image has none; `sink` displays, `patches` is show.PATCHES."""
    builtins.get_ipython = lambda: shell

    def displays(module: ModuleType) -> None:
        module.display, module.update_display, module.clear_output = sink.display, sink.update_display, sink.clear_output

    def shells(module: ModuleType) -> None:
        module.get_ipython = builtins.get_ipython

    patches["IPython.core.display_functions"] = displays
    patches["IPython.core.getipython"] = shells
    sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder) is not displayed.Finder]
    sys.meta_path.append(displayed.Finder(shell, sink))
