"""show - plt.show(), Image.show() and plotly's show() where there is no screen, and the letters of a chart.

A program that shows a chart ends the chart with that: what it draws next is another one. So whatever is
shown goes to a Screen, and a figure of matplotlib is closed then, as when somebody closes its window.

    install(Screen())   what is shown becomes a file in the working directory, and stderr says so

A session has a screen of its own (display.py). A program in a server's cell has this one (program.py), and
so has every program of an image that we have built: there this file is glovebox_show.py, and
a .pth file imports it.

matplotlib looks for a letter in the families that a program or its style names and in no other, so a title in
Chinese is boxes; here it looks in the fonts of LETTERS, too, where they are installed.

Nothing is imported that the program did not import: a finder in sys.meta_path waits for the modules in
PATCHES, and changes each when it has been loaded; those that are there already are changed at once.
"""

import builtins

__builtins__ = dict(vars(builtins))  # of the functions below; from here on only theirs

import sys

NUMBER_MAX = 10_000
COLLECTED = ("/workspace", "/output")
FORGOTTEN = ("/tmp", "/var/tmp", "/dev/shm")  # in memory, and gone with the sandbox
LETTERS = ("WenQuanYi Micro Hei", "Noto Sans CJK SC", "Droid Sans Fallback", "Lohit Devanagari", "Noto Sans Devanagari")


class Screen:
    """Where shown things go: into files of the working directory."""

    def figure(self, figure) -> None:
        """Show a figure of matplotlib."""
        self.save("plt.show()", "png", lambda file: figure.savefig(file, format="png", bbox_inches="tight"))

    def image(self, image) -> None:
        """Show an image of Pillow."""
        self.save("Image.show()", "png", lambda file: writable(image).save(file, "PNG"))

    def chart(self, chart) -> None:
        """Show a figure of plotly, or a dict that describes one."""
        self.save("Figure.show()", "html", lambda file: file.write(html(chart, True).encode()))

    def save(self, call: str, suffix: str, write) -> str:
        """Save what a call shows, and say so on stderr. Return the name of the file, or nothing."""
        try:
            name = _save(suffix, write)
        except Exception as error:
            report(f"{call} has no screen here, and its figure is not saved: {_reason(error)}")
            return ""
        report(f"{call} has no screen here: its figure is in {name}")
        return name


class Unsaved(Exception):
    """Why there is no file."""


def _save(suffix: str, write) -> str:
    """Write a new file into the working directory; return its name."""
    import io
    import os

    folder = os.getcwd()
    forgotten = (*FORGOTTEN, os.environ.get("HOME") or "/tmp")
    if _is_below(folder, forgotten) and not _is_below(folder, COLLECTED):
        raise Unsaved(f"nothing is collected from {folder}")
    file = io.BytesIO()
    write(file)
    for number in range(1, NUMBER_MAX):
        name = f"figure-{number}.{suffix}"
        try:
            fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        except FileExistsError:
            continue
        except OSError:
            raise Unsaved(f"{folder} cannot be written; run with --output DIR, or save it elsewhere") from None
        with open(fd, "wb") as saved:
            saved.write(file.getbuffer())
        return name
    raise Unsaved(f"{folder} is full of figures")


def _is_below(folder: str, places) -> bool:
    return any(f"{folder}/".startswith(f"{place}/") for place in places)


def _reason(error: Exception) -> str:
    text = f"{error}" if isinstance(error, Unsaved) else f"{type(error).__name__}: {error}"
    return " ".join(text.split())[:300]


def report(line: str) -> None:
    """Say it on stderr."""
    try:
        sys.stderr.write(f"glovebox: {line}\n")
    except Exception:  # foreign code may have put anything there
        pass


def writable(image):
    """Return an image in a mode that PNG has."""
    return image if image.mode in ("1", "L", "LA", "P", "RGB", "RGBA", "I", "I;16") else image.convert("RGB")


def html(chart, whole: bool) -> str:
    """Return a page with a figure of plotly; `whole`: with its library, 4 MB."""
    return sys.modules["plotly.io"].to_html(chart, include_plotlyjs=True if whole else "cdn")


# -- what a program has imported -----------------------------------------------------------


class _Shown:
    """What the changed modules share."""

    screen = Screen()
    last = None  # the figure that was closed by being shown
    is_pausing = False


def _matplotlib(module) -> None:
    """Have every figure manager without a window show its figure, and close it."""

    def show(self) -> None:
        if _Shown.is_pausing:
            return
        figure = self.canvas.figure
        _Shown.screen.figure(figure)
        _Shown.last = figure
        sys.modules["matplotlib._pylab_helpers"].Gcf.destroy(self.num)

    show.__doc__ = module.FigureManagerBase.show.__doc__
    module.FigureManagerBase.show = show


def _font_manager(module) -> None:
    """Have each list of fonts for a text end with those of LETTERS."""
    finds = _original(module.FontManager._find_fonts_by_props)

    def find(self, prop, *arguments, **options):
        found = finds(self, prop, *arguments, **options)
        if arguments or options:  # of one directory, or of another format
            return found
        there = {font.name for font in self.ttflist}
        for name in [name for name in LETTERS if name in there]:
            other = module.FontProperties._from_any(prop).copy()
            other.set_family(name)
            path = self.findfont(other)
            found += [path] if path not in found else []
        return found

    module.FontManager._find_fonts_by_props = _like(find, finds)


def _pyplot(module) -> None:
    """plt.savefig() right after plt.show() saves what was shown; plt.pause() shows nothing."""
    saves, pauses = _original(module.savefig), _original(module.pause)
    managers = sys.modules["matplotlib._pylab_helpers"].Gcf

    def savefig(*arguments, **options):
        if _Shown.last is None or managers.figs:
            return saves(*arguments, **options)
        return _Shown.last.savefig(*arguments, **options)

    def pause(*arguments, **options):
        _Shown.is_pausing = True
        try:
            return pauses(*arguments, **options)
        finally:
            _Shown.is_pausing = False

    module.savefig, module.pause = _like(savefig, saves), _like(pause, pauses)


def _pillow(module) -> None:
    """Register a viewer before all others."""

    class Viewer(module.Viewer):
        def show(self, image, **_options) -> int:
            _Shown.screen.image(image)
            return 1

    module.register(Viewer(), 0)


def _plotly(module) -> None:
    """Replace what looks for a renderer, unless the program names one."""
    shows = _original(module.show)

    def show(fig, renderer=None, *arguments, **options):
        if renderer is not None:
            return shows(fig, renderer, *arguments, **options)
        return _Shown.screen.chart(fig)

    module.show = _like(show, shows)
    package = sys.modules.get("plotly.io")
    if package is not None and "show" in vars(package):
        package.show = module.show


def _like(ours, theirs):
    """Return a function of ours that says of itself what theirs does."""
    for name in ("__name__", "__qualname__", "__module__", "__doc__"):
        setattr(ours, name, getattr(theirs, name))
    ours.__wrapped__ = ours.glovebox_show_original = theirs
    return ours


def _original(function):
    """Return what was there before this file, or another copy of it, changed it."""
    return getattr(function, "glovebox_show_original", function)


PATCHES = {
    "matplotlib.font_manager": _font_manager,
    "matplotlib.backend_bases": _matplotlib,
    "matplotlib.pyplot": _pyplot,
    "PIL.ImageShow": _pillow,
    "plotly.io._renderers": _plotly,
}


# -- finding them --------------------------------------------------------------------------


class _Loader:
    """Loads a module as its own loader does, and changes it."""

    def __init__(self, loader) -> None:
        self._loader = loader

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module) -> None:
        module.__loader__ = module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        _change(module)


class _Finder:
    """Lets the other finders find, and has a module changed after it was loaded."""

    is_glovebox_show = True  # another copy of this file may have one, too: the first one counts

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name not in PATCHES:
            return None
        for finder in sys.meta_path:
            if hasattr(finder, "is_glovebox_show") or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                if hasattr(spec.loader, "exec_module"):
                    spec.loader = _Loader(spec.loader)
                return spec
        return None


def _change(module) -> None:
    try:
        PATCHES[module.__name__](module)
    except Exception:  # another version than those that this file knows: it is left as it is
        pass


def install(screen: Screen) -> None:
    """From now on whatever is shown goes to this screen."""
    _Shown.screen = screen
    if _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)
    for name in PATCHES:
        if name in sys.modules:
            _change(sys.modules[name])


if __name__ == "glovebox_show":
    install(Screen())
