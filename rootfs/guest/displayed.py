"""displayed - IPython.display of a session whose image has no IPython.

The classes have one representation each, which display() of the session collects (display.py).
"""

from __future__ import annotations

import builtins

__builtins__ = dict(vars(builtins))  # of the functions below; from here on only theirs

from collections.abc import Callable
from types import ModuleType
from typing import Any


class _Shown:
    """Something that has one representation: text, given or in a file."""

    mime = "text/plain"

    def __init__(self, data: object = None, url: str | None = None, filename: str | None = None, **_options: object) -> None:
        if filename is not None:
            with open(filename, "rb") as file:
                data = file.read()
        elif url is not None:
            data = f"{url}"
        self.data = data.decode() if isinstance(data, bytes) and self.mime.startswith("text/") else data

    def __repr__(self) -> str:
        return f"<IPython.core.display.{type(self).__name__} object>"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict:
        return {self.mime: self.data}


class HTML(_Shown):
    """HTML."""

    mime = "text/html"


class Markdown(_Shown):
    """Markdown."""

    mime = "text/markdown"


class Latex(_Shown):
    """LaTeX."""

    mime = "text/latex"


class Math(Latex):
    """LaTeX, as a formula of its own."""

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict:
        text = f"{self.data}".strip("$")
        return {self.mime: f"$\\displaystyle {text}$"}


class Javascript(_Shown):
    """JavaScript."""

    mime = "application/javascript"


class SVG(_Shown):
    """SVG."""

    mime = "image/svg+xml"


class JSON(_Shown):
    """JSON."""

    mime = "application/json"


class Pretty(_Shown):
    """Text."""

    def __repr__(self) -> str:
        return f"{self.data}"


class Image(_Shown):
    """A picture: bytes, or the name of a file."""

    mime = "image/png"
    SIGNATURES = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif", b"<": "image/svg+xml"}

    def __init__(self, data: object = None, url: str | None = None, filename: str | None = None, **options: object) -> None:
        if isinstance(data, str) and not data.startswith(("http:", "https:", "<")):
            data, filename = None, data
        super().__init__(data, url, filename, **options)
        data = self.data if isinstance(self.data, bytes) else b""
        self.mime = next((kind for start, kind in self.SIGNATURES.items() if data.startswith(start)), "text/plain")
        self._size = {name: options[name] for name in ("width", "height") if options.get(name)}

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> tuple[dict, dict]:
        return {self.mime: self.data}, {self.mime: self._size} if self._size else {}


class Code(_Shown):
    """A source."""

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict:
        import html

        return {"text/plain": f"{self.data}", "text/html": f"<pre>{html.escape(f'{self.data}')}</pre>"}


class _Media(_Shown):
    """A sound or a film: bytes, a file or an address; a sound may be a list of numbers, too."""

    tag, mime = "audio", "audio/wav"

    def __init__(self, data: object = None, url: str | None = None, filename: str | None = None, **options: object) -> None:
        if isinstance(data, str):
            data, url, filename = (None, data, None) if "://" in data else (None, None, data)
        self._url = url
        self._kind = self.mime
        if filename is not None:
            from mimetypes import guess_type

            self._kind = guess_type(filename)[0] or self.mime
        if data is not None and not isinstance(data, (bytes, bytearray)):
            data = wave_of(data, int(options.get("rate") or 44100))
        super().__init__(data, None, filename)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict:
        import base64
        import html

        source = self._url or f"data:{self._kind};base64,{base64.b64encode(self.data or b'').decode()}"
        return {"text/html": f'<{self.tag} controls src="{html.escape(source, quote=True)}"></{self.tag}>'}


class Audio(_Media):
    """A sound."""


class Video(_Media):
    """A film."""

    tag, mime = "video", "video/mp4"


def wave_of(samples: object, rate: int) -> bytes:
    """Return numbers as a file of sound: 16 bits, one channel, as loud as can be."""
    import io
    import wave
    from array import array

    numbers = [float(sample) for sample in samples]  # type: ignore[attr-defined]
    loudest = max((abs(number) for number in numbers), default=0) or 1
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setparams((1, 2, rate, len(numbers), "NONE", ""))
        sound.writeframes(array("h", [int(number / loudest * 32767) for number in numbers]).tobytes())
    return file.getvalue()


class IFrame:
    """Another page."""

    def __init__(self, src: str, width: object, height: object, **_options: object) -> None:
        self.src, self.width, self.height = src, width, height

    def _repr_html_(self) -> str:
        import html

        src, width, height = (html.escape(f"{one}", quote=True) for one in (self.src, self.width, self.height))
        return f'<iframe width="{width}" height="{height}" src="{src}" frameborder="0" allowfullscreen></iframe>'


class YouTubeVideo(IFrame):
    """A film there."""

    def __init__(self, id: str, width: object = 400, height: object = 300, **_options: object) -> None:  # noqa: A002
        super().__init__(f"https://www.youtube.com/embed/{id}", width, height)


class FileLink:
    """A file that somebody may fetch."""

    def __init__(self, path: object, **_options: object) -> None:
        self.path = str(path)

    def __repr__(self) -> str:
        import os

        return os.path.abspath(self.path)

    def _repr_html_(self) -> str:
        import html

        name = html.escape(self.path, quote=True)
        return f'<a href="{name}">{name}</a>'


FileLinks = FileLink


KINDS = {
    "html": "text/html",
    "markdown": "text/markdown",
    "svg": "image/svg+xml",
    "png": "image/png",
    "jpeg": "image/jpeg",
    "latex": "text/latex",
    "json": "application/json",
    "javascript": "application/javascript",
    "pretty": "text/plain",
}


def _shower(sink: Any, mime: str) -> Callable[..., None]:
    """Return display_html() and its like: what they are given is an object or, raw, the representation itself."""

    def show(*objects: object, raw: bool = False, **options: object) -> None:
        for one in objects:
            sink.display({mime: one} if raw else one, raw=raw, **options)

    return show


def _modules(shell: object, sink: Any) -> dict[str, ModuleType]:
    """Return our IPython."""
    found = {name: ModuleType(name) for name in ("IPython", "IPython.display", "IPython.core", "IPython.core.display", "IPython.core.pylabtools")}
    shown = (HTML, Markdown, Latex, Math, Javascript, SVG, JSON, Pretty, Image, Code, Audio, Video, IFrame, YouTubeVideo, FileLink)
    names = {one.__name__: one for one in shown} | {"Math": Math, "FileLinks": FileLinks, "display": sink.display}
    names |= {"publish_display_data": lambda data, metadata=None, **options: sink.display(data, raw=True, metadata=metadata, **options)}
    names |= {"update_display": sink.update_display, "clear_output": sink.clear_output}
    names |= {f"display_{kind}": _shower(sink, mime) for kind, mime in KINDS.items()}
    vars(found["IPython.display"]).update(names)
    vars(found["IPython.core.display"]).update(names)
    found["IPython.core.pylabtools"].backend2gui = {}  # matplotlib asks for it
    package = found["IPython"]
    package.display, package.core = found["IPython.display"], found["IPython.core"]
    package.get_ipython, package.version_info, package.__version__ = (lambda: shell), (8, 30, 0, ""), "8.30.0"
    for name in ("IPython", "IPython.core"):
        found[name].__path__ = []
    for name in ("display", "pylabtools"):
        setattr(found["IPython.core"], name, found[f"IPython.core.{name}"])
    return found


class _Loader:
    """Gives a module of ours."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def create_module(self, _spec) -> ModuleType:
        return self._module

    def exec_module(self, _module) -> None:
        """It is there already."""


class Finder:
    """Finds our IPython, behind all other finders."""

    def __init__(self, shell: object, sink: Any) -> None:
        self._shell = shell
        self._sink = sink
        self._modules: dict[str, ModuleType] = {}

    def find_spec(self, name, _path=None, _target=None):
        if name != "IPython" and not self._modules:
            return None
        self._modules = self._modules or _modules(self._shell, self._sink)
        module = self._modules.get(name)
        if module is None:
            return None
        from importlib.machinery import ModuleSpec

        return ModuleSpec(name, _Loader(module), is_package=hasattr(module, "__path__"))
