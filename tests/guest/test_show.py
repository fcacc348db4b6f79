"""test_show - what a program shows where there is no screen: two charts are two pictures.

The packages are small ones of the test's own, with the names and calls that show.py changes; where the real
ones are installed, they are tried, too.
"""

import importlib.util
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

GUEST = Path(__file__).resolve().parents[2] / "rootfs/guest"

PACKAGES = {
    "matplotlib/__init__.py": "",
    "matplotlib/_pylab_helpers.py": """
        class Gcf:
            figs = {}
            @classmethod
            def destroy(cls, number):
                cls.figs.pop(number, None)
    """,
    "matplotlib/figure.py": """
        class Figure:
            def __init__(self): self.drawn = []
            def get_size_inches(self): return 1, 1
            dpi = 1
            def savefig(self, file, **options):
                if "broken" in self.drawn: raise ValueError("it cannot be drawn")
                data = b"\\x89PNG" + "+".join(self.drawn).encode()
                file.write(data) if hasattr(file, "write") else open(file, "wb").write(data)
    """,
    "matplotlib/font_manager.py": """
        class Font:
            def __init__(self, name): self.name = name
        class FontProperties:
            def __init__(self, family): self.family = family
            def copy(self): return FontProperties(self.family)
            def set_family(self, name): self.family = [name]
            @classmethod
            def _from_any(cls, prop): return prop if isinstance(prop, cls) else cls([prop])
        class FontManager:
            ttflist = [Font(name) for name in ("DejaVu Sans", "Arial", "Lohit Devanagari", "WenQuanYi Micro Hei")]
            def findfont(self, prop): return prop.family[0] + ".ttf"
            def _find_fonts_by_props(self, prop, fontext="ttf"):
                return [name + "." + fontext for name in FontProperties._from_any(prop).family]
    """,
    "matplotlib/backend_bases.py": """
        from matplotlib._pylab_helpers import Gcf
        class FigureManagerBase:
            def __init__(self, number, figure):
                self.num, self.canvas = number, self
                self.figure = figure
            def show(self):
                "It has no window."
    """,
    "matplotlib/pyplot.py": """
        from matplotlib._pylab_helpers import Gcf
        from matplotlib.figure import Figure
        from matplotlib.backend_bases import FigureManagerBase
        def figure(number=None):
            number = number or max(Gcf.figs, default=0) + 1
            if number not in Gcf.figs: Gcf.figs[number] = FigureManagerBase(number, Figure())
            return Gcf.figs[number].figure
        def gcf():
            return list(Gcf.figs.values())[-1].figure if Gcf.figs else figure()
        def get_fignums(): return sorted(Gcf.figs)
        def fignum_exists(number): return number in Gcf.figs
        def plot(what): gcf().drawn.append(what)
        def close(_which): Gcf.figs.clear()
        def show(block=None):
            for manager in list(Gcf.figs.values()): manager.show()
        def pause(interval): show(block=False)
        def savefig(file): gcf().savefig(file)
    """,
    "PIL/__init__.py": "",
    "PIL/ImageShow.py": """
        _viewers = []
        class Viewer: pass
        def register(viewer, order=1): _viewers.insert(0 if order <= 0 else len(_viewers), viewer)
        def show(image):
            return any(viewer.show(image, title=None) for viewer in _viewers)
    """,
    "PIL/Image.py": """
        class Image:
            def __init__(self, mode): self.mode = mode
            def convert(self, mode): return Image(mode)
            def save(self, file, format): file.write(self.mode.encode())
            def _repr_png_(self): return b"\\x89PNG" + self.mode.encode()
            def show(self):
                from PIL import ImageShow
                ImageShow.show(self)
    """,
    "plotly/__init__.py": "",
    "plotly/io/__init__.py": """
        from plotly.io._renderers import show
        def to_html(chart, include_plotlyjs): return f"<p>{chart} {include_plotlyjs}"
    """,
    "plotly/io/_renderers.py": """
        def show(fig, renderer=None, **options): print("renders", renderer)
    """,
}

# Runs each argument as a source of a session, and prints what came of it.
SESSION = f"""
import sys
sys.path.insert(0, {str(GUEST)!r})
import show, units
del sys.path[0]
show.COLLECTED = (sys.argv[1],)
interpreter = units.Interpreter(display=True)
for source in sys.argv[3:]:
    result = interpreter.run(source, plain="plain" in sys.argv[2], formats=("png",) if "png" in sys.argv[2] else None)
    kinds = [[next((k for k in bundle if k.startswith("image/")), bundle["text/plain"]) for bundle in result[name]]
             for name in ("displays", "figures")]
    print(result["status"], *kinds, *result.get("error", {{}}).get("traceback", ())[-1:])
"""
PROGRAM = f"""
import sys
sys.path.insert(0, {str(GUEST)!r})
import show
del sys.path[0], sys.modules["show"]
show.COLLECTED = (sys.argv[1],)
show.install(show.Screen())
exec(sys.argv[2], {{}})
"""
TWO = "import matplotlib.pyplot as plt; plt.plot('a'); plt.show(); print('between'); plt.plot('b'); plt.show()"
NO_SCREEN = "has no screen here: its figure is in"


class ShowCase(unittest.TestCase):
    """A directory with the packages, and another to work in."""

    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.packages, self.work = Path(place.name, "packages"), Path(place.name, "work")
        self.work.mkdir()
        for name, text in PACKAGES.items():
            path = self.packages / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text))

    def python(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run Python with the packages."""
        environment = {**os.environ, "PYTHONPATH": str(self.packages), "PYTHONDONTWRITEBYTECODE": "1", **variables}
        return subprocess.run([sys.executable, *words], cwd=self.work, env=environment, capture_output=True, text=True, check=False)

    def session(self, *sources: str, manner: str = "") -> list[str]:
        """Run sources in a session; return the lines of its output, and keep those of its errors."""
        done = self.python("-c", SESSION, str(self.work), manner, *sources)
        self.errors = done.stderr.splitlines()
        return done.stdout.splitlines()

    def program(self, source: str) -> str:
        """Run a program with the screen that saves; return its output, and keep its errors."""
        done = self.python("-c", PROGRAM, str(self.work), source)
        self.errors = done.stderr.splitlines()
        return done.stdout

    def saved(self) -> dict[str, str]:
        """Return the files that there are."""
        return {path.name: path.read_text("latin-1").removeprefix("\x89PNG") for path in sorted(self.work.iterdir())}


class Sessions(ShowCase):
    """A session's cell."""

    ONE = "ok ['image/png'] []"

    def test_two_charts_are_two_pictures(self) -> None:
        self.assertEqual(self.session(TWO), ["between", "ok ['image/png', 'image/png'] []"])
        self.assertEqual(self.session(TWO + "; plt.plot('c')")[1], "ok ['image/png', 'image/png'] ['image/png']")
        self.assertEqual((self.errors, self.saved()), ([], {}))

    def test_a_chart_is_shown_however_show_was_found(self) -> None:
        for source in (
            "from matplotlib.pyplot import plot, show\nplot('a'); show()",
            "import matplotlib.pyplot as plt\nplt.plot('a'); plt.show(block=False)",
            "import importlib; plt = importlib.import_module('matplotlib.pyplot')\nplt.plot('a'); plt.show(); plt.show()",
            "from matplotlib.pyplot import *\nplot('a'); show()",
        ):
            with self.subTest(source=source):
                self.assertEqual(self.session(source), [self.ONE])

    def test_modules_that_are_there_already(self) -> None:
        self.assertEqual(self.session("import matplotlib.pyplot as plt\nplt.plot('a')", "plt.plot('b'); plt.show()")[1], self.ONE)
        preloaded = SESSION.replace("import show", "import matplotlib.pyplot, PIL.ImageShow, plotly.io, show")
        done = self.python("-c", preloaded, str(self.work), "", TWO, "from PIL import Image; Image.Image('P').show()")
        self.assertEqual(done.stdout.splitlines(), ["between", "ok ['image/png', 'image/png'] []", self.ONE])

    def test_several_figures_are_shown_at_once(self) -> None:
        source = "import matplotlib.pyplot as plt\nfor i in 1, 2, 3:\n    plt.figure(); plt.plot('a')\nplt.show()"
        self.assertEqual(self.session(source), ["ok ['image/png', 'image/png', 'image/png'] []"])

    def test_what_was_closed_is_not_shown(self) -> None:
        source = "import matplotlib.pyplot as plt\nplt.plot('a'); plt.close('all'); plt.show()"
        self.assertEqual(self.session(source), ["ok [] []"])

    def test_order_of_displays_and_shows(self) -> None:
        source = "import matplotlib.pyplot as plt\ndisplay(1); plt.plot('a'); plt.show(); display(2)"
        self.assertEqual(self.session(source), ["ok ['1', 'image/png', '2'] []"])

    def test_pause_shows_nothing(self) -> None:
        source = "import matplotlib.pyplot as plt\nfor i in 'abc':\n    plt.plot(i); plt.pause(0.1)"
        self.assertEqual(self.session(source), ["ok [] ['image/png']"])

    def test_chart_that_is_saved_after_it_was_shown(self) -> None:
        self.session("import matplotlib.pyplot as plt\nplt.plot('a'); plt.show(); plt.savefig('chart.png')")
        self.assertEqual(self.saved(), {"chart.png": "a"})
        self.session("import matplotlib.pyplot as plt\nplt.plot('a'); plt.show(); plt.plot('b'); plt.savefig('chart.png')")
        self.assertEqual(self.saved(), {"chart.png": "b"})

    def test_figure_that_cannot_be_drawn(self) -> None:
        self.assertEqual(self.session("import matplotlib.pyplot as plt\nplt.plot('broken'); plt.show(); 7")[0][:3], "ok ")
        self.assertEqual(self.errors, [])

    def test_images_and_plotly(self) -> None:
        self.assertEqual(self.session("from PIL import Image\nImage.Image('CMYK').show()"), [self.ONE])
        wanted = "ok ['<plotly figure, saved as figure-1.html>'] []"
        self.assertEqual(self.session("import plotly.io as pio\npio.show('chart')"), [wanted])
        self.assertEqual(self.saved(), {"figure-1.html": "<p>chart True"})
        self.assertEqual(self.session("import plotly.io as pio\npio.show('chart', 'svg')"), ["renders svg", "ok [] []"])

    def test_where_text_is_printed_the_figure_has_its_place(self) -> None:
        lines = self.session(TWO, manner="plain png")
        self.assertRegex(lines[0], "Figure")
        self.assertEqual(lines[1], "between")
        self.assertRegex(lines[2], "Figure")
        self.assertEqual(lines[3], "ok ['image/png', 'image/png'] []")

    def test_where_nobody_sees_it_it_is_saved(self) -> None:
        self.assertEqual(self.session(TWO, manner="plain"), ["between", "ok [] []"])
        self.assertEqual(self.saved(), {"figure-1.png": "a", "figure-2.png": "b"})
        self.assertEqual(self.errors, [f"glovebox: plt.show() {NO_SCREEN} figure-{n}.png" for n in (1, 2)])

    def test_nothing_is_imported_and_frames_of_ours_are_hidden(self) -> None:
        self.assertEqual(self.session("import sys; print([m for m in sys.modules if m[:3] in ('mat', 'PIL', 'sho')])")[0], "[]")
        source = "import plotly.io as pio; pio.show(1, 2, validate=1 / 0)"
        self.assertNotIn("show.py", " ".join(self.session(source)))


class Programs(ShowCase):
    """A program whose figures nobody sees."""

    def test_two_charts_are_two_files(self) -> None:
        self.assertEqual(self.program(TWO), "between\n")
        self.assertEqual(self.saved(), {"figure-1.png": "a", "figure-2.png": "b"})
        self.assertEqual(self.errors, [f"glovebox: plt.show() {NO_SCREEN} figure-{n}.png" for n in (1, 2)])

    def test_files_that_are_there_are_kept(self) -> None:
        (self.work / "figure-1.png").write_text("mine")
        self.program(TWO)
        self.assertEqual(self.saved(), {"figure-1.png": "mine", "figure-2.png": "a", "figure-3.png": "b"})

    def test_images_and_plotly(self) -> None:
        self.program("from PIL import Image; Image.Image('CMYK').show(); import plotly.io; plotly.io.show('chart')")
        self.assertEqual(self.saved(), {"figure-1.html": "<p>chart True", "figure-1.png": "RGB"})

    def test_a_directory_from_which_nothing_is_collected(self) -> None:
        self.program("import os; os.chdir('/tmp');" + TWO)
        self.assertEqual(len(self.errors), 2)
        self.assertIn("plt.show() has no screen here, and its figure is not saved: nothing is collected from /tmp", self.errors[0])

    def test_a_directory_that_cannot_be_written(self) -> None:
        self.program("import os; os.chdir('/proc');" + TWO)
        self.assertIn("/proc cannot be written; run with --output DIR", self.errors[0])

    def test_figure_that_cannot_be_drawn_leaves_no_file(self) -> None:
        self.program("import matplotlib.pyplot as plt; plt.plot('broken'); plt.show()")
        self.assertEqual(self.saved(), {})
        self.assertIn("ValueError: it cannot be drawn", self.errors[0])

    def test_show_after_savefig_and_before_it(self) -> None:
        self.program("import matplotlib.pyplot as plt; plt.plot('a'); plt.savefig('x.png'); plt.show(); plt.savefig('y.png')")
        self.assertEqual(self.saved(), {"figure-1.png": "a", "x.png": "a", "y.png": "a"})


    def test_letters_come_from_fonts_that_are_there(self) -> None:
        find = "from matplotlib.font_manager import *; print(FontManager()._find_fonts_by_props({}))"
        self.assertEqual(self.program(find.format("'Arial'")), "['Arial.ttf', 'WenQuanYi Micro Hei.ttf', 'Lohit Devanagari.ttf']\n")
        named = find.format("FontProperties(['Lohit Devanagari', 'Arial'])")
        self.assertEqual(self.program(named), "['Lohit Devanagari.ttf', 'Arial.ttf', 'WenQuanYi Micro Hei.ttf']\n")
        self.assertEqual(self.program(find.format("'Arial', 'afm'")), "['Arial.afm']\n")


class Images(ShowCase):
    """In an image that we have built a .pth file imports it whenever Python starts."""

    def setUp(self) -> None:
        super().setUp()
        (self.packages / "glovebox_show.py").write_text((GUEST / "show.py").read_text())

    def test_import_is_enough(self) -> None:
        self.python("-c", f"import glovebox_show; glovebox_show.COLLECTED = ({str(self.work)!r},); {TWO}")
        self.assertEqual(self.saved(), {"figure-1.png": "a", "figure-2.png": "b"})

    def test_it_brings_no_module_along(self) -> None:
        done = self.python("-c", "import sys; before = {*sys.modules}; import glovebox_show; print({*sys.modules} - before)")
        self.assertEqual(done.stdout, "{'glovebox_show'}\n")

    def test_session_has_the_last_word(self) -> None:
        for first in ("import glovebox_show", "import glovebox_show, matplotlib.pyplot, PIL.ImageShow, plotly.io"):
            with self.subTest(first=first):
                done = self.python("-c", f"{first}\n{SESSION}", str(self.work), "", TWO, "from PIL import Image; Image.Image('P').show()")
                self.assertEqual(done.stdout.splitlines(), ["between", "ok ['image/png', 'image/png'] []", "ok ['image/png'] []"])
                self.assertEqual((done.stderr, self.saved()), ("", {}))


@unittest.skipUnless(importlib.util.find_spec("matplotlib"), "cannot: matplotlib is not installed")
class Real(ShowCase):
    """The real matplotlib."""

    def setUp(self) -> None:
        super().setUp()
        for path in self.packages.glob("matplotlib/*"):
            path.unlink()
        (self.packages / "matplotlib").rmdir()

    def test_two_charts_are_two_pictures(self) -> None:
        source = "import matplotlib.pyplot as plt; plt.plot([1]); plt.show(); fig, ax = plt.subplots(); fig.show()"
        self.assertEqual(self.session(source), ["ok ['image/png', 'image/png'] []"])
