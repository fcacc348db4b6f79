"""display - turns a value into representations that a caller may show.

Theory of operation

This runs inside the sandbox, in the process that runs foreign code. It makes no
decision that protects the host: its results are as untrusted as that code. Its
duty is that honest results arrive whole, and that odd ones (a repr that raises, a
list of 10**8 items, a class that claims every attribute) cost little and end as a
line of text instead of an exception.

    bundle(value)           {MIME type: text}; "text/plain" is always there
    figures(("png",))       one bundle per open matplotlib figure; closes them all
    Sink().display(value)   collects bundles in order, until take() fetches them
    Shown(sink)             the screen of plt.show() and its like (show.py): the same bundles

A bundle holds str only, so any JSON library can write it: bytes are base64, JSON
types are JSON text, lone surrogates are escaped. Three keys are not MIME types:
"dropped" names what was left out for its size, "error" what could not be drawn, and
"metadata" is an object, as JSON text, of what clients should know (a width).

The methods are those that IPython calls, on instances only: _repr_mimebundle_,
_repr_html_ ... A method that raises is left out. _ipython_display_ is not called (it
wants IPython's own display).

Only an Exception is handled here. KeyboardInterrupt and SystemExit from a foreign
method go up to the caller, as from any other foreign code.

Foreign code may replace builtins and attributes of modules. So this module has its own
copy of the builtins, binds at import what it calls, asks type() and not __class__, and
never looks a class up by its hash, which a metaclass can replace.

Nothing is imported on behalf of a value: pandas and matplotlib are used only if foreign
code has them in sys.modules.
"""

from __future__ import annotations

import builtins

__builtins__ = dict(vars(builtins))  # of the functions below; from here on only theirs

import sys
from _thread import RLock as _RLock
from binascii import b2a_base64 as _b2a_base64
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from itertools import islice
from json import dumps as _json_dumps
from os import getpid as _getpid
from os import urandom
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType

import show as _show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from live import Live

MIB = 1 << 20
TEXT_MAX = MIB  # characters of text/plain; more is cut
PIECE_MAX = 16 * MIB  # characters of any other representation; more is dropped
BUNDLE_MAX = 32 * MIB  # characters of one bundle
TOTAL_MAX = 64 * MIB  # characters of all displays of a run, and of all its figures
METADATA_MAX = 1 << 16  # characters of a bundle's metadata; more is left out
TYPES_MAX = 64  # representations in one bundle
DISPLAYS_MAX = 1000
FIGURES_MAX = 100
PIXELS_MAX = 64 * MIB  # a figure is drawn in 4 bytes per pixel
NODES_MAX = 1 << 14  # items that may be shown without counting characters
DEPTH_MAX = 64
BATCH = 512  # items of a container that are written together
WALK_MAX = 1 << 18  # nodes that may be counted without a result

CANARY = "_ipython_canary_method_should_not_exist_"

METHODS = (
    ("_repr_html_", "text/html"),
    ("_repr_markdown_", "text/markdown"),
    ("_repr_svg_", "image/svg+xml"),
    ("_repr_png_", "image/png"),
    ("_repr_jpeg_", "image/jpeg"),
    ("_repr_pdf_", "application/pdf"),
    ("_repr_latex_", "text/latex"),
    ("_repr_json_", "application/json"),
    ("_repr_javascript_", "application/javascript"),
)

DRAWN = {
    "png": "image/png",
    "svg": "image/svg+xml",
    "jpeg": "image/jpeg",
    "pdf": "application/pdf",
}

_type_name = type.__dict__["__name__"].__get__  # a metaclass cannot fake it


# -- text ----------------------------------------------------------------------------


def text(value: object) -> str:
    """Return repr(value), at most TEXT_MAX characters of it; says so if there is none."""
    try:
        return clean(_bounded(value) if _sprawls(value) else cut(repr(value)))
    except Exception as error:
        return f"<{type_name(value)} object; its repr raised {describe(error)}>"


def type_name(value: object) -> str:
    """Return the name of the value's real type."""
    return clean(_type_name(type(value)))


def describe(error: BaseException) -> str:
    """Return "Name: message" of an exception, short, on one line."""
    message = message_of(error, 500).replace("\n", " ")
    return f"{type_name(error)}: {message}" if message else type_name(error)


def message_of(error: BaseException, limit: int | None = None) -> str:
    """Return str(error), cut, or a remark if there is none."""
    try:
        return clean(cut(str(error), limit))
    except Exception:
        return "<exception str() failed>"


def cut(whole: str, limit: int | None = None) -> str:
    """Return at most `limit` characters, followed by a mark if that is not all."""
    limit = TEXT_MAX if limit is None else limit
    whole = str.__str__(whole)
    left = len(whole) - limit
    return f"{whole[:limit]}... [cut: {left} more characters]" if left > 0 else whole


def clean(dirty: str) -> str:
    """Return a real str (no subclass) that UTF-8 can encode."""
    exact = str.__str__(dirty)
    try:
        exact.encode()
    except UnicodeEncodeError:
        return exact.encode("utf-8", "backslashreplace").decode()
    return exact


# -- text of containers that may be huge ---------------------------------------------

# Containers whose repr this module can write piece by piece: its beginning and end. By
# id(), because a class may define its own hash.
_LAYOUTS = {
    id(list): ("[", "]"),
    id(tuple): ("(", ")"),
    id(set): ("{", "}"),
    id(frozenset): ("frozenset({", "})"),
    id(deque): ("deque([", "])"),
    id(type({}.keys())): ("dict_keys([", "])"),
    id(type({}.values())): ("dict_values([", "])"),
    id(type({}.items())): ("dict_items([", "])"),
    id(dict): ("{", "}"),
    id(defaultdict): ("defaultdict(..., {", "})"),
    id(OrderedDict): ("OrderedDict({", "})"),
    id(Counter): ("Counter({", "})"),
}
_PAIRS = {id(dict), id(defaultdict), id(OrderedDict), id(Counter)}
_STRINGS = {id(str), id(bytes), id(bytearray)}


def _sprawls(value: object) -> bool:
    """Tell whether repr() of a value could be huge only because of its content."""
    return _nodes(value, 2 * NODES_MAX) is None


def _nodes(value: object, limit: int) -> int | None:
    """Return how many values a value consists of, itself included; None if too many.

    Everything counts as often as repr() would show it. So there is no number for a
    container that contains itself.
    """
    todo = [value]
    nodes = characters = 0
    while todo:
        item = todo.pop()
        kind = id(type(item))
        nodes += 1
        if kind in _STRINGS:
            characters += len(item)
        elif kind in _LAYOUTS:
            if len(item) > limit:
                return None
            todo.extend(dict.keys(item) if kind in _PAIRS else item)
            if kind in _PAIRS:
                todo.extend(dict.values(item))
        if nodes + len(todo) > limit or characters > TEXT_MAX:
            return None
    return nodes


def _bounded(value: object) -> str:
    """Return the beginning of repr(value), without ever making the rest."""
    pieces = []
    size = 0
    for piece in _Walk().pieces(value):
        pieces.append(piece)
        size += len(piece)
        if size > TEXT_MAX:
            return f"{''.join(pieces)[:TEXT_MAX]}... [cut: its length is {len(value)}]"
    return "".join(pieces)


class _Walk:
    """Writes repr() of one value in pieces: small parts by repr(), large ones item by item."""

    def __init__(self) -> None:
        self._path: list[int] = []  # ids of the containers around the present place
        self._nodes_left = WALK_MAX

    def pieces(self, value: object) -> Iterator[str]:
        """Yield the pieces. Not recursive: a value can be nested deeper than Python's stack."""
        tokens = [iter([("", (value,))])]
        while tokens:
            token = next(tokens[-1], None)
            if token is None:
                tokens.pop()
                self._path[len(tokens) - 1 :] = []
                continue
            written, values = token
            yield written
            for item in values:
                if self._is_to_open(item):
                    self._path.append(id(item))
                    tokens.append(self._tokens(item))
                else:
                    yield self._leaf(item)

    def _is_to_open(self, item: object) -> bool:
        opened = id(type(item)) in _LAYOUTS and len(item) > 0
        return opened and id(item) not in self._path and len(self._path) < DEPTH_MAX

    def _leaf(self, item: object) -> str:
        kind = id(type(item))
        if kind in _STRINGS:
            return repr(item[: TEXT_MAX + 1])
        return "...".join(_LAYOUTS[kind]) if kind in _LAYOUTS and len(item) else repr(item)

    def _tokens(self, container: object) -> Iterator[tuple[str, tuple[object, ...]]]:
        """Yield what to write, and the value that follows: none or one."""
        opening, closing = _LAYOUTS[id(type(container))]
        make = dict if id(type(container)) in _PAIRS else list
        children = iter(dict.items(container) if make is dict else container)
        yield opening, ()
        separator = ""
        while batch := make(islice(children, BATCH)):
            if self._is_small(batch):
                yield separator + repr(batch)[1:-1], ()
                separator = ", "
                continue
            for child in batch.items() if make is dict else batch:
                for item in child if make is dict else (child,):
                    yield separator, (item,)
                    separator = ": "
                separator = ", "
        yield (",)" if type(container) is tuple and len(container) == 1 else closing), ()

    def _is_small(self, batch: object) -> bool:
        """Tell whether repr() may write a batch; stop counting when that costs too much."""
        limit = 8 * BATCH
        if self._nodes_left <= 0:
            return False
        nodes = _nodes(batch, limit)
        self._nodes_left -= limit if nodes is None else 0
        return nodes is not None


# -- bundles -------------------------------------------------------------------------


class _Bundle:
    """The representations of one value, as they are found, within the limits."""

    def __init__(self) -> None:
        self.found: dict[str, str] = {}
        self._dropped: list[str] = []
        self._metadata: dict[str, object] = {}
        self._room = BUNDLE_MAX

    def add(self, mime: str, data: object) -> None:
        """Keep one representation if its kind and size are allowed."""
        size = _size(data)
        packed = _pack(mime, data) if size <= PIECE_MAX else None
        size = size if packed is None else len(packed)
        limit = min(PIECE_MAX, self._room)
        if size > limit:
            self._dropped.append(f"{mime}: {size} characters, {limit} can be kept")
        elif packed is not None and (mime in self.found or len(self.found) < TYPES_MAX):
            self.found[mime] = packed
            self._room -= size

    def note(self, metadata: object) -> None:
        """Keep what clients should know, where that is a dict by MIME types."""
        if issubclass(type(metadata), dict):
            self._metadata.update(metadata)

    def _noted(self) -> dict[str, str]:
        try:
            text = clean(_json_dumps(self._metadata, allow_nan=False)) if self._metadata else ""
        except Exception:  # it is no JSON
            return {}
        return {"metadata": text} if 0 < len(text) <= METADATA_MAX else {}

    def result(self, plain: str) -> dict[str, str]:
        """Return the bundle; `plain` is its text unless a better one was found."""
        if "text/plain" in self.found:
            plain = cut(self.found.pop("text/plain"))
        found = {"text/plain": plain, **self.found, **self._noted()}
        if self._dropped:
            found["dropped"] = cut("; ".join(self._dropped), 4096)
        return found


def bundle(value: object, formats: Iterable[str] = ("png",), metadata: object = None) -> dict[str, str]:
    """Return the representations of a value as {MIME type: text}.

    value     anything; its methods are foreign code and may do anything
    formats   how a matplotlib figure is drawn, if it is one: names from DRAWN
    metadata  beside what its methods say of it
    """
    found = _Bundle()
    if id(type(value)) not in _PLAIN and not issubclass(type(value), type):
        _ask(value, found)
        if is_figure(value):
            _draw_all(value, formats, found)
    found.note(metadata)
    return found.result("" if "text/plain" in found.found else text(value))


_PLAIN = _STRINGS | set(_LAYOUTS)
_PLAIN |= {id(t) for t in (int, float, complex, bool, type(None), range, slice, type)}
_PLAIN |= {id(t) for t in (BuiltinFunctionType, FunctionType, MethodType, ModuleType)}


def _ask(value: object, found: _Bundle) -> None:
    """Add what the value's own methods return."""
    if _has(value, CANARY):
        return  # it claims to have every attribute
    whole, metadata = _call(value, "_repr_mimebundle_", include=None, exclude=None)
    if issubclass(type(whole), dict):
        found.note(metadata)
        for mime, data in list(dict.items(whole))[: 2 * TYPES_MAX]:
            if issubclass(type(mime), str) and "/" in str.__str__(mime)[:200]:
                _try_add(found, clean(mime)[:200], data)
    for name, mime in METHODS:
        if mime not in found.found:
            data, metadata = _call(value, name)
            _try_add(found, mime, data)
            if metadata and mime in found.found:
                found.note({mime: metadata})


def _has(value: object, name: str) -> bool:
    try:
        return getattr(value, name, None) is not None
    except Exception:
        return False


def _call(value: object, name: str, **options: object) -> tuple[object, object]:
    """Return what a method returns, and its metadata; None if there is none."""
    try:
        method = getattr(value, name, None)
        if method is None or not callable(method):
            return None, None
        answer = method(**options)
    except Exception:
        return None, None
    return answer if type(answer) is tuple and len(answer) == 2 else (answer, None)


def _try_add(found: _Bundle, mime: str, data: object) -> None:
    if data is None:
        return
    try:
        found.add(mime, data)
    except Exception:
        return  # not JSON or not UTF-8: counts as no representation


def _size(data: object) -> int:
    """Return about how many characters data needs; 0 if that is unknown in advance."""
    for kind in (str, bytes, bytearray):
        if issubclass(type(data), kind):
            return kind.__len__(data)
    return data.nbytes if type(data) is memoryview else 0


def _pack(mime: str, data: object) -> str | None:
    """Return data as text; None for a kind that does not fit the MIME type."""
    if issubclass(type(data), str):
        return clean(data)
    if issubclass(type(data), (bytes, bytearray, memoryview)):
        if mime.startswith("text/") or mime.endswith(("xml", "json", "javascript")):
            return bytes(data).decode()
        return _b2a_base64(data, newline=False).decode()
    if mime.endswith(("/json", "+json")):
        return clean(_json_dumps(data, allow_nan=False))
    return None


# -- figures -------------------------------------------------------------------------


def figures(formats: Iterable[str] = ("png",)) -> list[dict[str, str]]:
    """Draw every open pyplot figure, in the order of their numbers, and close them all.

    formats  names from DRAWN

    A figure that cannot be drawn is a bundle with the key "error".
    """
    pyplot = _pyplot()
    if pyplot is None:
        return []
    drawn: list[dict[str, str]] = []
    try:
        numbers = sorted(pyplot.get_fignums())
        size = 0
        for done, number in enumerate(numbers):
            if done >= FIGURES_MAX or size > TOTAL_MAX:
                drawn.append({"text/plain": "", "dropped": f"{len(numbers) - done} more figures"})
                break
            drawn.append(_figure(pyplot, number, tuple(formats)))
            size += sum(map(len, drawn[-1].values()))
    except Exception as error:
        drawn.append({"text/plain": "", "error": describe(error)})
    finally:
        _close_all(pyplot)
    return drawn


def count_open_figures() -> int:
    """Return how many figures figures() would draw."""
    pyplot = _pyplot()
    try:
        return len(pyplot.get_fignums()) if pyplot else 0
    except Exception:
        return 0


def is_figure(value: object) -> bool:
    """Tell whether a value is a matplotlib figure."""
    try:
        figure = getattr(sys.modules.get("matplotlib.figure"), "Figure", None)
        return figure is not None and issubclass(type(value), figure)
    except Exception:
        return False


def is_open_figure(value: object) -> bool:
    """Tell whether a value is a figure that figures() will draw."""
    if not is_figure(value):
        return False
    pyplot = _pyplot()
    try:
        return bool(pyplot and pyplot.fignum_exists(value.number))
    except Exception:
        return False


def _pyplot() -> ModuleType | None:
    """Return pyplot if foreign code has imported it, completely."""
    try:
        pyplot = sys.modules.get("matplotlib.pyplot")
        return pyplot if callable(getattr(pyplot, "get_fignums", None)) else None
    except Exception:
        return None


def _close_all(pyplot: ModuleType) -> None:
    try:
        pyplot.close("all")
    except Exception:
        return  # the next run draws them again


def _figure(pyplot: ModuleType, number: int, formats: tuple[str, ...]) -> dict[str, str]:
    """Return the bundle of one open figure."""
    try:
        figure = pyplot.figure(number)
    except Exception as error:
        return {"text/plain": "", "error": describe(error)}
    return _drawn(figure, formats)


def _drawn(figure: object, formats: Iterable[str]) -> dict[str, str]:
    """Return the bundle of a figure; its key "error" says what could not be drawn."""
    found = _Bundle()
    errors = _draw_all(figure, formats, found)
    drawn = found.result(text(figure))
    if errors:
        drawn["error"] = "; ".join(errors)
    return drawn


def _draw_all(figure: object, formats: Iterable[str], found: _Bundle) -> list[str]:
    """Add a figure in every format; return what went wrong."""
    errors = []
    for name in formats:
        try:
            found.add(DRAWN[name], _draw(figure, name))
        except Exception as error:
            errors.append(f"{clean(name)}: {describe(error)}")
    return errors


def _draw(figure: object, name: str) -> bytes:
    if name in ("png", "jpeg"):
        _refuse_too_many_pixels(figure)
    file = BytesIO()
    figure.savefig(file, format=name, bbox_inches="tight")
    return file.getvalue()


def _refuse_too_many_pixels(figure: object) -> None:
    """Raise ValueError for a figure that would need more memory than a session has.

    figsize=(640, 480), meant as pixels, is an honest mistake that costs 12 GB.
    """
    try:
        width, height = (float(side) * float(figure.dpi) for side in figure.get_size_inches())
    except Exception:
        return
    if width * height > PIXELS_MAX:
        raise ValueError(f"{width:.0f} x {height:.0f} pixels are too many; figsize is in inches")


# -- display() -----------------------------------------------------------------------


class Sink:
    """Collects what foreign code displays, in order, within the limits of one run.

    plain    print the text at once instead, among what else is printed
    formats  of what is shown (Shown): names from DRAWN; none: nobody sees it
    place    marks the place of a bundle among what is printed, before that is kept
    live     gets each bundle at once instead (live.py); None: they are kept until take()

    A lock holds the two together: threads of foreign code display, too, also between two runs.
    """

    def __init__(self) -> None:
        self.plain = False
        self.formats: tuple[str, ...] = ("png",)
        self.place: Callable[[], None] = _nowhere
        self.live: Live | None = None
        self._bundles: list[dict[str, str]] = []
        self._named: dict[str, int] = {}  # those that can be updated, and where they are
        self._size = 0
        self._refused = 0
        self._lock = (_getpid(), _RLock())

    def _locked(self) -> _RLock:
        """Return the lock; a process that was forked has a new one, because the old one's holder may not be there."""
        if self._lock[0] != _getpid():
            self._lock = (_getpid(), _RLock())
        return self._lock[1]

    def display(
        self,
        *objects: object,
        include: Iterable[str] | None = None,
        exclude: Iterable[str] | None = None,
        raw: bool = False,
        metadata: object = None,
        display_id: object = None,
        update: bool = False,
        **_options: object,
    ) -> Handle | None:
        """Show objects in the results of this run.

        include     MIME types to keep, all others are left out
        exclude     MIME types to leave out
        raw         the objects are bundles already: {MIME type: data}
        metadata    of all of them: {MIME type: ...}
        display_id  a name by which it can be updated, or True for one; returned as a handle
        update      show it in the place of what was displayed under the name

        Other options of IPython's display() are accepted and have no effect.
        """
        handle = Handle(self, display_id) if display_id else None
        name = handle.display_id if handle else ""
        for value in objects:
            if self._is_full():
                continue
            shown = _raw(value, metadata) if raw else bundle(value, () if self.plain else ("png",), metadata)
            shown = _select(shown, include, exclude)
            if self.plain:
                _print(shown)
                continue
            self._keep(shown, name, update)
        return handle

    def update_display(self, value: object, *, display_id: object, **options: object) -> None:
        """Show a value in the place of another."""
        self.display(value, display_id=display_id, update=True, **options)

    def clear_output(self, wait: bool = False) -> None:
        """Have the client take away what this run has shown; one that gets it all at the end leaves it."""
        with self._locked():
            if self.live:
                self.live.tell({"clear": bool(wait)})

    def page(self, text: str) -> None:
        """Show documentation."""
        with self._locked():
            live = self.live
            if live:
                live.tell({"page": {"text/plain": cut(text)}})
        if not live:
            print(text)

    def show(self, draw: Callable[[Iterable[str]], dict[str, str]]) -> None:
        """Keep the bundle of something that is shown; where text is printed, print its text in its place."""
        if self._is_full():
            return
        shown = draw(self.formats)
        if self.plain:
            _print(shown)
            shown = {**shown, "text/plain": ""}
        self._keep(shown)

    def _is_full(self) -> bool:
        """Tell whether there is no room for one more, and count that one then."""
        full = not self.live and (len(self._bundles) >= DISPLAYS_MAX or self._size > TOTAL_MAX)
        self._refused += full
        return full

    def _keep(self, shown: dict[str, str], name: str = "", update: bool = False) -> None:
        with self._locked():
            if self.live:
                self.live.tell({"display": shown, "id": name, "update": update})
            elif update and name in self._named:
                self._replace(self._named[name], shown)
            else:
                self._append(shown, name)

    def _replace(self, number: int, shown: dict[str, str]) -> None:
        self._size += sum(map(len, shown.values())) - sum(map(len, self._bundles[number].values()))
        self._bundles[number] = shown

    def _append(self, shown: dict[str, str], name: str) -> None:
        try:
            self.place()
        finally:
            if name:
                self._named[name] = len(self._bundles)
            self._bundles.append(shown)
            self._size += sum(map(len, shown.values()))

    def begin(
        self, plain: bool, formats: tuple[str, ...], place: Callable[[], None] | None, live: Live | None = None
    ) -> None:
        """Begin a run. What a thread has displayed since the last one stands at its beginning."""
        with self._locked():
            self.plain, self.formats, self.place, self.live = plain, formats, place or _nowhere, live
            for shown in self._bundles:
                if live:
                    live.tell({"display": shown})
                else:
                    self.place()
            if live:
                self._forget()

    def take(self) -> list[dict[str, str]]:
        """Return what was displayed since the last call."""
        with self._locked():
            self.place, self.live = _nowhere, None
            bundles, refused = self._bundles, self._refused
            self._forget()
        if refused:
            bundles.append({"text/plain": "", "dropped": f"{refused} more displays"})
        return bundles

    def _forget(self) -> None:
        self._bundles, self._named, self._size, self._refused = [], {}, 0, 0


class Handle:
    """What display() returns of something that can be updated."""

    def __init__(self, sink: Sink, name: object) -> None:
        self._sink = sink
        self.display_id = urandom(16).hex() if name is True else clean(cut(str(name), 200))

    def __repr__(self) -> str:
        return f"<DisplayHandle display_id={self.display_id}>"

    def display(self, value: object, **options: object) -> None:
        """Show a value under the name once more."""
        self._sink.display(value, display_id=self.display_id, **options)

    def update(self, value: object, **options: object) -> None:
        """Show a value in the place of the one before."""
        self._sink.update_display(value, display_id=self.display_id, **options)


class Shown(_show.Screen):
    """The screen of a session: what is shown is displayed or, where nobody sees that, saved."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink

    def figure(self, figure: object) -> None:
        """Display a figure of matplotlib."""
        if self._sink.formats:
            self._sink.show(lambda formats: _drawn(figure, formats))
        else:
            super().figure(figure)

    def image(self, image: object) -> None:
        """Display an image of Pillow."""
        if self._sink.formats:
            self._sink.show(lambda _formats: _without(bundle(_show.writable(image), ()), "image/jpeg"))
        else:
            super().image(image)

    def chart(self, chart: object) -> None:
        """Save a chart of plotly: few clients show HTML. Display it, too, where that is collected."""
        name = self.save("Figure.show()", "html", lambda file: file.write(_show.html(chart, True).encode()))
        if self._sink.formats and not self._sink.plain:
            text = f"<plotly figure, saved as {name}>" if name else "<plotly figure>"
            self._sink.show(lambda _formats: _raw({"text/plain": text, "text/html": _show.html(chart, False)}))


def _without(shown: dict[str, str], mime: str) -> dict[str, str]:
    """Return a bundle without one of its kinds."""
    return {name: data for name, data in shown.items() if name != mime}


def _nowhere() -> None:
    """Leave no mark."""


def _print(shown: dict[str, str]) -> None:
    if "text/plain" in shown:
        print(shown["text/plain"])


def _raw(data: object, metadata: object = None) -> dict[str, str]:
    """Return a bundle that foreign code made."""
    if not issubclass(type(data), dict):
        raise TypeError("display(raw=True) wants a dict of MIME types")
    found = _Bundle()
    for mime, piece in dict.items(data):
        if issubclass(type(mime), str) and "/" in mime:
            _try_add(found, clean(mime)[:200], piece)
    found.note(metadata)
    return found.result("")


def _select(
    shown: dict[str, str], include: Iterable[str] | None, exclude: Iterable[str] | None
) -> dict[str, str]:
    included = None if include is None else set(include)
    excluded = set() if exclude is None else set(exclude)
    return {
        mime: data
        for mime, data in shown.items()
        if mime in ("dropped", "metadata") or (included is None or mime in included) and mime not in excluded
    }
