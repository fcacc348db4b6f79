"""units - executes one piece of source after another, as an interactive session does.

Theory of operation

This runs inside the sandbox, in the process that runs foreign code; see display.py for
what that means. A session loop uses it so:

    interpreter = units.Interpreter(display=True)
    result = interpreter.run(source, formats=("png",))

run() returns a dict that any JSON library can write:

    status     "ok", "error" or "exit"
    value      bundle of the last expression; absent if there is none, if it is None, if
               a semicolon follows it, or on an error
    displays   bundles of what the source gave to display() and of what it showed (plt.show()), in order
    figures    bundles of the matplotlib figures that were open at its end, in order; they are closed
    open_figures  how many figures stay open; only if they do (see below)
    error      {"name", "value", "traceback": [lines]}; only if status is "error"
    exit_code  0 to 255; only if status is "exit": the source raised SystemExit

For a caller that shows plain text, run(source, plain=True) has display() print at once, in order
with what else is printed, and leaves figures open, as python(1) at a terminal would, unless formats
are named. Without formats, what plt.show() shows is saved into the working directory (show.py).

A bundle is described in display.py. Standard output and input are the caller's: nothing
here reads, replaces or flushes them (a message given to sys.exit() goes to sys.stderr).

One source is one unit. What does not compile is mended as in a notebook (dialect.py). It is parsed as a whole, before anything runs, under the name
"<cell N>" that linecache knows, so tracebacks show its lines. If it ends in an expression,
that is compiled apart; the statements before it are compiled together. Flags of `from
__future__` hold from there on, also in later sources. If the source awaits at top level,
asyncio is imported, and one event loop serves all such sources of the session; tasks
rest while no source awaits.

Sources run in the namespace of a new module __main__. We put nothing into it but `_`, the
last value: as an ordinary name, not in builtins, and not if the source bound `_` itself
or builtins has one (gettext). display() is in builtins, if asked for. The constructor
takes this module and display.py out of sys.modules, so that foreign modules may have
their names; a caller that put this folder on sys.path should remove it, too. It puts our linecache
into sys.modules unless there is one: traceback and inspect of the sources must use the same.

run() does not raise. KeyboardInterrupt, wherever it occurs, is an error of that name. Only a
second interrupt within the few instructions that report a failed report gets through: a
caller that sends several interrupts must expect one. A process that foreign code forked and
that returns to us ends here, as a script would at its end: run() returns in the
original process only. It ends without the handlers of atexit, which are the session's.
"""

from __future__ import annotations

import builtins

__builtins__ = dict(vars(builtins))  # of the functions below; from here on only theirs

import __future__
import linecache
import sys
from ast import Expr, Expression, Module, PyCF_ALLOW_TOP_LEVEL_AWAIT, PyCF_ONLY_AST
from collections.abc import Callable, Coroutine, Iterable, Iterator
from os import _exit
from os import getpid as _getpid
from traceback import format_exception as _format_exception
from types import CodeType, ModuleType, TracebackType

import absent as _absent
import dialect as _dialect
import display as _display
import displayed as _displayed
import look as _look
import notebook as _notebook
import show as _show
import space as _space

TYPE_CHECKING = False
if TYPE_CHECKING:
    from live import Live

SOURCES_MAX = 128  # in linecache
SOURCE_CHARACTERS_MAX = 8 << 20  # of all of them together
CHAIN_MAX = 10_000  # exceptions of one chain that are examined

_COROUTINE = 0x80  # inspect.CO_COROUTINE
_FUTURES = 0
for _name in __future__.all_feature_names:
    _FUTURES |= getattr(__future__, _name).compiler_flag

_OURS = [globals(), *map(vars, (_display, _show, _dialect, _notebook, _displayed, _look, _space, _absent))]  # a frame with such globals is never shown
_NOTHING = object()

# What a subclass of BaseException cannot replace.
_get_traceback = BaseException.__dict__["__traceback__"].__get__
_set_traceback = BaseException.__dict__["__traceback__"].__set__
_get_cause = BaseException.__dict__["__cause__"].__get__
_get_context = BaseException.__dict__["__context__"].__get__
_Group = vars(builtins).get("BaseExceptionGroup")  # since Python 3.11
_get_members = _Group.__dict__["exceptions"].__get__ if _Group else None


class Interpreter:
    """Runs sources in one namespace."""

    def __init__(self, display: bool = False) -> None:
        """Make a fresh __main__; with `display`, there is a builtin function of that name."""
        self._module = ModuleType("__main__")
        self._names = vars(self._module)
        self._names["__builtins__"] = builtins
        self._flags = PyCF_ALLOW_TOP_LEVEL_AWAIT
        self._sources = _Sources()
        self._sink = _display.Sink()
        self._last: object = _NOTHING  # what we put into `_`
        self._value: object = None
        self._loop = None
        self._screen = _display.Shown(self._sink) if display else None
        self._shell = _notebook.Shell(self._names, self._run_part, self._sink.page) if display else None
        sys.modules.setdefault("linecache", linecache)
        _hide()
        self.enter()

    def enter(self) -> None:
        """Be the one whose __main__, display() and get_ipython() programs find; another one was."""
        sys.modules["__main__"] = self._module
        if self._screen:
            builtins.display = self._sink.display
            _notebook.install(self._shell, self._sink, _show.PATCHES)
            _show.install(self._screen)

    @property
    def namespace(self) -> dict[str, object]:
        """The names of __main__: the dict itself."""
        return self._names

    @property
    def last(self) -> object:
        """The value of the last source that had one."""
        return self._value

    @property
    def flags(self) -> int:
        """The compiler's flags for the next source."""
        return self._flags

    def run(
        self,
        source: str,
        formats: Iterable[str] | None = None,
        plain: bool = False,
        place: Callable[[], None] | None = None,
        live: Live | None = None,
    ) -> dict[str, object]:
        """Execute one source and return what came of it; see the top of this file.

        source   with any line ends
        formats  of figures: names from display.DRAWN; None: png, or nothing is drawn if `plain`
        plain    the caller shows text only: display() prints
        place    is called where something is displayed, before it is kept
        live     gets at once what is displayed; None: it is kept
        """
        if formats is None:
            formats = () if plain else ("png",)
        formats = tuple(formats)
        self._sink.begin(plain, formats, place, live)
        process = _getpid()
        result: dict[str, object] = {"status": "ok", "displays": [], "figures": []}
        try:
            self._guard(result, self._evaluate, source, formats)
            self._guard(result, _add_figures if formats or not plain else _count_figures, formats)
            result["displays"] = self._sink.take()
            if _getpid() != process:
                _end_child(result)
        except BaseException:
            if _getpid() != process:
                _exit(1)
            result = {"status": "error", "displays": [], "figures": []}
            value = "the result could not be reported"
            result["error"] = {"name": "SystemError", "value": value, "traceback": []}
        return result

    def evaluate(self, expressions: dict[str, str]) -> dict[str, dict[str, object]]:
        """Return what expressions are, by their names: results with a "value", or with an "error"."""
        found: dict[str, dict[str, object]] = {}
        for name, source in expressions.items():
            result: dict[str, object] = {"status": "ok"}
            self._guard(result, self._evaluate_alone, source)
            if result["status"] == "exit":
                result["error"] = {"name": "SystemExit", "value": f"{result['exit_code']}", "traceback": []}
            found[name] = result
        return found

    def _evaluate_alone(self, result: dict[str, object], source: str) -> None:
        value = eval(compile(source, "<expression>", "eval", self._flags, True), self._names)
        result["value"] = _display.bundle(value)

    def _guard(self, result: dict[str, object], step: Callable, *arguments: object) -> None:
        """Let a step complete the result; what it raises becomes the result."""
        raised = None
        try:
            step(result, *arguments)
        except BaseException as error:
            raised = error  # reported outside, where it is not the context of another
        if raised is not None and result["status"] == "ok":
            result.pop("value", None)
            self._sources.restore()
            result.update(_report(raised))

    def _evaluate(self, result: dict[str, object], source: str, formats: Iterable[str]) -> None:
        """Execute the source and put its value into the result."""
        self._names.pop("__warningregistry__", None)  # a warning is told of once in a source, not once for all
        value = self._run_part(source)
        self._value = value
        if value is not None:
            self._keep(value)
            drawn_later = _display.is_open_figure(value)
            result["value"] = _display.bundle(value, () if drawn_later else formats)

    def _run_part(self, source: str) -> object:
        """Execute a source, all of it or a part that a line like %time has; return its value."""
        value = None
        for code in self._compile(source):
            self._names.setdefault("__builtins__", builtins)  # else it would be given ours
            value = eval(code, self._names)
            if code.co_flags & _COROUTINE:
                value = self._wait_for(value)
        return value

    def _keep(self, value: object) -> None:
        """Put the value into `_`, unless the source uses that name itself."""
        if self._names.get("_", self._last) is self._last and "_" not in vars(builtins):
            self._names["_"] = self._last = value

    # -- compiling ---------------------------------------------------------------------

    def _compile(self, source: str) -> list[CodeType]:
        """Return the code of the statements and, apart from it, of a last expression."""
        if not issubclass(type(source), str):
            raise TypeError("source must be str")
        source = str.__str__(source).replace("\r\n", "\n").replace("\r", "\n")
        source = source[1:] if source.startswith("\ufeff") else source
        name = self._sources.add(source)
        refused = None
        try:
            return self._compile_python(source, name)
        except SyntaxError as error:
            refused = error
        mended = _dialect.mended(source, self._flags)
        if mended is None:
            raise refused
        self._sources.put(name, mended)
        return self._compile_python(mended, name)

    def _compile_python(self, source: str, name: str) -> list[CodeType]:
        try:
            tree = compile(source, name, "exec", self._flags | PyCF_ONLY_AST, True)
            return self._compile_tree(tree, source, name)
        except SyntaxError as error:
            _add_text(error, source)
            raise

    def _compile_tree(self, tree: Module, source: str, name: str) -> list[CodeType]:
        codes = []
        flags = self._flags
        last = tree.body.pop() if _ends_in_value(tree, source) else None
        if tree.body:
            codes.append(compile(tree, name, "exec", flags, True))
            flags |= codes[0].co_flags & _FUTURES
        if last is not None:
            codes.append(compile(Expression(last.value), name, "eval", flags, True))
        self._flags = flags
        return codes

    # -- awaiting ----------------------------------------------------------------------

    def _wait_for(self, coroutine: Coroutine) -> object:
        """Run the session's event loop until a coroutine ends; return or raise its outcome."""
        import asyncio  # only here, because it is costly

        if self._loop is None or self._loop.is_closed():
            self._loop = asyncio.new_event_loop()
        outcome: list[tuple[object, BaseException | None]] = []
        interrupt = self._run_loop(self._loop.create_task(_settle(coroutine, outcome)))
        value, error = outcome[0] if outcome else (None, None)
        if interrupt is not None:
            if error is not None:  # it shows where the source was interrupted
                _set_traceback(interrupt, _get_traceback(error))
            raise interrupt
        if error is not None:
            raise error
        return value

    def _run_loop(self, task) -> BaseException | None:
        """Run the loop until the task is done; an interrupt cancels the task and is returned."""
        interrupt = None
        while not task.done():
            try:
                self._loop.run_until_complete(task)
            except BaseException as error:
                if task.done():
                    continue
                if interrupt is not None:
                    self._abandon(task)
                    raise
                interrupt = error
                task.cancel()
        return interrupt

    def _abandon(self, task) -> None:
        """Give up a task that cannot be cancelled, and the loop that would resume it."""
        loop, self._loop = self._loop, None
        task._log_destroy_pending = False  # what asyncio would print names this file
        loop.close()


async def _settle(
    coroutine: Coroutine, outcome: list[tuple[object, BaseException | None]]
) -> None:
    """Await a coroutine and keep what it returns or raises away from the event loop."""
    try:
        outcome.append((await coroutine, None))
    except BaseException as error:
        outcome.append((None, error))


# -- steps ---------------------------------------------------------------------------


def hide(*modules: ModuleType) -> None:
    """Show no frame of these, either: what a session is made of beside an interpreter."""
    _OURS.extend(map(vars, modules))


def _hide() -> None:
    """Take our modules out of sys.modules; those who have them keep them."""
    for names in _OURS:
        module = sys.modules.get(names["__name__"])
        if module is not None and vars(module) is names:
            del sys.modules[names["__name__"]]


def _add_figures(result: dict[str, object], formats: Iterable[str]) -> None:
    result["figures"] = _display.figures(formats)


def _count_figures(result: dict[str, object], _formats: Iterable[str]) -> None:
    count = _display.count_open_figures()
    if count:
        result["open_figures"] = count


def _end_child(result: dict[str, object]) -> None:
    """End a process that foreign code forked, as the end of a script would."""
    if result["status"] == "error":
        sys.stderr.write("".join(result["error"]["traceback"]))
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    _exit({"ok": 0, "error": 1}.get(result["status"], result.get("exit_code", 1)))


# -- sources -------------------------------------------------------------------------


class _Sources:
    """Keeps the newest sources in linecache, where tracebacks and inspect find them."""

    def __init__(self) -> None:
        self._entries: dict[str, tuple[int, None, list[str], str]] = {}
        self._count = 0

    def add(self, source: str) -> str:
        """Keep one more source and return its file name."""
        self._count += 1
        name = f"<cell {self._count}>"
        self.put(name, source)
        return name

    def put(self, name: str, source: str) -> None:
        """Keep the source of a name."""
        # str.splitlines() knows more line ends than Python's parser.
        lines = [line + "\n" for line in source.split("\n")]
        self._entries[name] = (len(source), None, lines, name)  # None: never looked up on disk
        while len(self._entries) > 1 and self._too_many():
            self._forget(next(iter(self._entries)))
        self.restore()

    def restore(self) -> None:
        """Put back what foreign code may have cleared."""
        try:
            for name, entry in self._entries.items():
                linecache.cache[name] = entry
        except Exception:
            return  # then tracebacks have no source lines

    def _too_many(self) -> bool:
        size = sum(entry[0] for entry in self._entries.values())
        return len(self._entries) > SOURCES_MAX or size > SOURCE_CHARACTERS_MAX

    def _forget(self, name: str) -> None:
        del self._entries[name]
        try:
            linecache.cache.pop(name, None)
        except Exception:
            return


def _ends_in_value(tree: Module, source: str) -> bool:
    """Tell whether the last statement is an expression that no semicolon follows."""
    if not tree.body or type(tree.body[-1]) is not Expr:
        return False
    last = tree.body[-1]
    line, *others = source.split("\n")[last.end_lineno - 1 :]
    rest = [line.encode()[last.end_col_offset :].decode(), *others]
    return not any(";" in line.partition("#")[0] for line in rest)


def _add_text(error: SyntaxError, source: str) -> None:
    """Add the line to an error of the compiler, which looks for a file of that name."""
    lines = source.split("\n")
    if error.text is None and type(error.lineno) is int and 0 < error.lineno <= len(lines):
        error.text = lines[error.lineno - 1] + "\n"


# -- exceptions ----------------------------------------------------------------------


def _report(error: BaseException) -> dict[str, object]:
    """Return the part of a result that describes an exception."""
    if issubclass(type(error), SystemExit):
        return {"status": "exit", "exit_code": _exit_code(error)}
    _hide_frames(error)
    lines = _traceback(error)  # first, because str() of the exception may raise it anew
    lines += _space.lines(error)
    lines += _absent.lines(error, _notebook.has_network)
    name, value = _display.type_name(error), _display.message_of(error)
    return {"status": "error", "error": {"name": name, "value": value, "traceback": lines}}


def _exit_code(error: SystemExit) -> int:
    """Return the status with which Python would exit; print a message as it would."""
    try:
        code = error.code
        if code is None:
            return 0
        if issubclass(type(code), int):
            return int.__and__(code, 0xFF)
        sys.stderr.write(f"{code}\n")
    except Exception:
        return 1
    return 1


def _traceback(error: BaseException) -> list[str]:
    """Return what traceback.format_exception() does, at most display.TEXT_MAX characters."""
    shown = _get_traceback(error)
    try:
        lines = list(_format_exception(type(error), error, shown))
        lines = _shortened(lines)
    except Exception:
        name, message = _display.type_name(error), _display.message_of(error)
        return [f"{name}: {message}\n"]
    if shown is None and lines and lines[0].startswith("Traceback "):
        del lines[0]  # up to Python 3.10 this heading is printed without entries
    return lines


def _shortened(lines: list[str]) -> list[str]:
    """Return the last lines; the very last one says what happened."""
    kept: list[str] = []
    room = _display.TEXT_MAX
    for line in reversed(lines):
        line = _display.clean(_display.cut(line))
        room -= len(line)
        if room < 0 and kept:
            kept.append(f"... [cut: {len(lines) - len(kept)} earlier entries]\n")
            break
        kept.append(line)
    return kept[::-1]


def _hide_frames(error: BaseException) -> None:
    """Take our frames out of the tracebacks of an exception and of those chained to it."""
    todo: list[BaseException | None] = [error]
    seen: set[int] = set()
    while todo and len(seen) < CHAIN_MAX:
        one = todo.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        _set_traceback(one, _foreign(_get_traceback(one)))
        todo += [_get_cause(one), _get_context(one)]
        if _Group is not None and issubclass(type(one), _Group):
            todo += _get_members(one)


def _foreign(traceback: TracebackType | None) -> TracebackType | None:
    """Return a traceback without our entries."""
    entries = list(_entries(traceback))
    foreign = [entry for entry in entries if not _is_ours(entry)]
    left = entries[len(entries) - len(foreign) :]
    if foreign == left:  # ours were the first, as nearly always
        return foreign[0] if foreign else None
    following = None
    for entry in reversed(foreign):
        following = TracebackType(following, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return following


def _entries(traceback: TracebackType | None) -> Iterator[TracebackType]:
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def _is_ours(entry: TracebackType) -> bool:
    return any(entry.tb_frame.f_globals is ours for ours in _OURS)
