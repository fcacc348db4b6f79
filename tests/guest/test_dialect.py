"""test_dialect - what models write instead of Python runs; what is Python is never changed."""

import ast
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import dialect

GUEST = Path(__file__).resolve().parents[2] / "rootfs/guest"
SESSION = f"""
import sys
sys.path.insert(0, {str(GUEST)!r})
import units
del sys.path[0]
sys.stdout.reconfigure(line_buffering=True)
interpreter = units.Interpreter(display=True)
for source in sys.argv[1:]:
    result = interpreter.run(source)
    shown = [sorted(kind for kind in bundle if kind != "text/plain") or bundle["text/plain"] for bundle in result["displays"]]
    value = result.get("value", {{}})
    print(result["status"], *shown, value.get("text/plain", ""), *result.get("error", {{}}).get("traceback", ())[-1:])
"""


class Mended(unittest.TestCase):
    """dialect.mended()."""

    def assert_means(self, source: str, python: str) -> None:
        """Assert that a source becomes what a Python source means."""
        mended = dialect.mended(source, 0)
        self.assertIsNotNone(mended, source)
        self.assertEqual(ast.dump(ast.parse(mended)), ast.dump(ast.parse(python)), mended)

    def test_signs(self) -> None:
        for source, python in (
            ("print(\u201chi\u201d)", "print('hi')"),
            ("print(\u2018it\u2019s\u2019)", "print('it\u2019s')"),
            ('print("hi\u201d)', "print('hi')"),
            ("x\u00a0=\u00a01", "x = 1"),
            ("if x:\n\u00a0\u00a0\u00a0\u00a0y = 1", "if x:\n    y = 1"),
            ("x = 3 \u2212 1 \u2013 2", "x = 3 - 1 - 2"),
            ("x = f\uff081\uff0c 2\uff09", "x = f(1, 2)"),
            ("x = 3 \u00d7 4 if y \u2265 2 else 1", "x = 3 * 4 if y >= 2 else 1"),
            ("x\u200b = 1\ufeff", "x = 1"),
            ("\ufeffprint(1)", "print(1)"),
            ("print(\u201ca \"b\" c\u201d)", "print('a \"b\" c')"),
            ('print(\u201chi")', "print('hi')"),
            ("d[\u201ca\u201d] = d[\u201cb\u201d] * 2", "d['a'] = d['b'] * 2"),
            ("print(f\u201c{x} is {d['k']}\u201d)", "print(f\"{x} is {d['k']}\")"),
            ("# \u8ba1\u7b97\uff08\u603b\u548c\uff09\nprint('\u603b\u548c\uff1a'\uff0c 3)", "print('\u603b\u548c\uff1a', 3)"),
            ("gr\u00f6\u00dfe\u00a0= 3", "gr\u00f6\u00dfe = 3"),
            ("x = \u201ca 'b' \\\"c\u201d", "x = \"a 'b' \\\"c\""),
            ("x = '\u201ca\u201d \u2013 b'\u00a0# \u2013", "x = '\u201ca\u201d \u2013 b'"),
            ("x = '''\u00a0\u201c'''\u00a0+ y", "x = '''\u00a0\u201c''' + y"),
        ):
            with self.subTest(source=source):
                self.assert_means(source, python)

    def test_prompts_fences_and_indentation(self) -> None:
        for source, python in (
            (">>> a = 1\n>>> a\n1\n>>> for i in x:\n...     f(i)\n...\n0\n", "a = 1\na\nfor i in x:\n    f(i)"),
            (">>> print(\"it's\")\nit's\n", "print(\"it's\")"),
            ("# in the shell\n>>> f(1)\n1\n", "f(1)"),
            ("In [1]: x = 1\nOut[1]: 2\nIn [2]: y\n", "x = 1\ny"),
            ("```python\nx = 1\n```\n", "x = 1"),
            ("    a = 1\n    b = 2", "a = 1\nb = 2"),
            ("a = 1\n    b = '''\nc'''\n    d = 2", "a = 1\nb = '''\nc'''\nd = 2"),
            ("# first\n    x = 1\n    f(x)", "x = 1\nf(x)"),
            ("\tx = 1\n\tif x:\n\t\tf(x)", "x = 1\nif x:\n\tf(x)"),
            ("    f(\n1,\n    2)\n    g(3)", "f(1, 2)\ng(3)"),
        ):
            with self.subTest(source=source):
                self.assert_means(source, python)

    def test_lines_of_a_notebook(self) -> None:
        ipython = "get_ipython()"
        for source, python in (
            ("%matplotlib inline\nx = 1", f"{ipython}.run_line_magic('matplotlib', 'inline')\nx = 1"),
            ("if x:\n    !ls -l\nelse:\n    %cd y", f"if x:\n    {ipython}.system('ls -l')\nelse:\n    {ipython}.run_line_magic('cd', 'y')"),
            ("x = !ls {y}", f"x = {ipython}.getoutput('ls {{y}}')"),
            ("x = %time f()", f"x = {ipython}.run_line_magic('time', 'f()')"),
            ("pip install x y", f"{ipython}.run_line_magic('pip', 'install x y')"),
            ("f?", f"{ipython}.run_line_magic('pinfo', 'f')"),
            ("%%time\nx = 1\nx", f"{ipython}.run_cell_magic('time', '', '\\nx = 1\\nx')"),
            ("%matplotlib inline\nx = 1\n%%time\ny = 2", f"{ipython}.run_line_magic('matplotlib', 'inline')\nx = 1\n{ipython}.run_cell_magic('time', '', '\\n\\n\\ny = 2')"),
            ("!pip install x\nimport x", f"{ipython}.system('pip install x')\nimport x"),
            ("try:\n    f()\nexcept E:\n    !pip install x\ng()", f"try:\n    f()\nexcept E:\n    {ipython}.system('pip install x')\ng()"),
            ("  !ls\n  f()", f"{ipython}.system('ls')\nf()"),
            ("x = (10\n% 3)\n%time x", f"x = (10\n% 3)\n{ipython}.run_line_magic('time', 'x')"),
            ("x = '''\n!a\n%b'''\n!echo it's\ny", f"x = '''\n!a\n%b'''\n{ipython}.system(\"echo it's\")\ny"),
            ("x = 7 \\\n% 3\n!ls", f"x = 7 % 3\n{ipython}.system('ls')"),
        ):
            with self.subTest(source=source):
                self.assert_means(source, python)

    def test_each_block_of_a_reply_is_mended_by_itself(self) -> None:
        ipython = "get_ipython()"
        for source, python in (
            (">>> a = 1\n>>> a\n1\n# %% next block\nf(a)", "a = 1\na\nf(a)"),
            ("a = 1\n# %% next block\n>>> a\n1\n", "a = 1\na"),
            ("a = 1\n# %% next block\n    b = 2\n    c = 3", "a = 1\nb = 2\nc = 3"),
            ("```python\n# %% next block\n!ls\n# %% next block\n>>> a\n```", f"{ipython}.system('ls')\na"),
            ("%%bash\nls\n# %% next block\na = 1", f"{ipython}.run_cell_magic('bash', '', '\\nls')\na = 1"),
            ("%%writefile a.py\n# %%\nx = 1", f"{ipython}.run_cell_magic('writefile', 'a.py', '\\n# %%\\nx = 1')"),
            ("a = \"\"\"\n# %% next block\n\"\"\"\n!ls", f"a = '\\n# %% next block\\n'\n{ipython}.system('ls')"),
        ):
            with self.subTest(source=source):
                self.assert_means(source, python)
        self.assertIn("x = =", dialect.mended(">>> a = 1\n# %% next block\nx = =", 0))

    def test_lines_keep_their_numbers(self) -> None:
        for source in ("%matplotlib inline\n\n!ls\nx = 1", "```\nx\n\ny = 1\n```", "x\u00a0=\u00a01\n\ny"):
            self.assertEqual(dialect.mended(source, 0).count("\n"), source.count("\n"))

    def test_what_nobody_understands_is_left(self) -> None:
        for source in ("x = =", "(", "'", "x = '\u201c", "def f(:\n  pass", "\u201c", "if", "\\"):
            with self.subTest(source=source):
                self.assertIsNone(dialect.mended(source, 0))

    def test_error_of_the_rest_is_kept(self) -> None:
        self.assertEqual(dialect.mended("%matplotlib inline\nx = =", 0).split("\n")[1], "x = =")

    def test_long_sources_take_no_longer_than_their_length(self) -> None:
        for piece in ("x = \u201ca\u201d\n", "'", '"""', "\u2018", "\u2018a", "(", "%time x\n", ">>> x\n", "\\\n", "r'\\", "# %% next block\n", "# %% next block\n>>> x\n", "%%time\n"):
            with self.subTest(piece=piece):
                dialect.mended(piece * (50_000 // len(piece)) + "\n= =", 0)


class Cells(unittest.TestCase):
    """What the lines do in a session."""

    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = Path(place.name)

    def cells(self, *sources: str) -> list[str]:
        """Run sources in a session; return the lines of its output."""
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-I", "-S", "-c", SESSION, *sources]
        done = subprocess.run(command, cwd=self.place, env=environment, capture_output=True, text=True, check=False)
        self.errors = done.stderr
        return [line.rstrip() for line in done.stdout.splitlines()]

    def test_python_is_never_changed(self) -> None:
        for source in ("x = 7\nx \\\n%2", "'\u00a0\u201c'", "(10\n%3)", "'''\n!ls\n%time'''", "'>>> x'"):
            with self.subTest(source=source):
                self.assertEqual(self.cells(source), [f"ok {eval(source.split(chr(10), 1)[1], {'x': 7})!r}" if source[0] == "x" else f"ok {eval(source)!r}"])

    def test_shell(self) -> None:
        self.assertEqual(self.cells("n = 3\n!echo {n} $n $$; exit 2", "y = !echo a; echo b\ny, _exit_code")[:1], ["3 3 $"])
        self.assertEqual(self.cells("y = !echo a; echo b\ny"), ["ok ['a', 'b']"])
        self.assertEqual(self.cells("%%bash\necho x > f\ncat f"), ["x", "ok"])
        self.assertEqual(self.cells("print(1)\n!echo 2\nprint(3)")[:3], ["1", "2", "3"])

    def test_a_command_that_fails_is_no_error_and_has_a_status(self) -> None:
        """As in IPython; also what is refused without a network."""
        offline = "get_ipython().pip.__globals__['has_network'] = lambda: False"
        for command in ("!exit 2", "%pip install --no-index nothing-of-this-name", "%pip install x", "!pip install x", "%conda install x"):
            with self.subTest(command):
                self.assertRegex("\n".join(self.cells(offline, "!true", command, "_exit_code")), r"\Aok\nok\nok\nok [12]\Z")

    def test_magics(self) -> None:
        self.assertEqual(self.cells("%matplotlib inline\n%load_ext autoreload\n%autoreload 2\n7"), ["ok 7"])
        lines = self.cells("%time 6 * 7", "%%time\nx = 1\nx + 1")
        self.assertRegex(lines[0], "CPU times")
        self.assertEqual((lines[2], lines[5]), ("ok 42", "ok 2"))
        self.assertEqual(self.cells("%%writefile a.txt\nhello\n", "!cat a.txt")[:3], ["Writing a.txt", "ok", "hello"])
        self.assertEqual(self.cells("%%capture out\nprint(1)", "out"), ["ok", "ok '1\\n'"])
        self.assertRegex(self.cells("%nothing x")[0], "error .*UsageError: Line magic function `%nothing` is not known")

    def test_error_in_a_part_names_its_line(self) -> None:
        self.assertIn("error ZeroDivisionError: division by zero", " ".join(" ".join(self.cells("%%time\n1/0")).split()))

    def test_ipython_where_there_is_none(self) -> None:
        for source, wanted in (
            ("from IPython.display import display, HTML, Markdown\ndisplay(HTML('<b>'), Markdown('x'))", "ok ['text/html'] ['text/markdown']"),
            ("from IPython.display import FileLink\nFileLink('a')", f"ok {self.place}/a"),
            ("from IPython.display import Image\ndisplay(Image(data=b'\\x89PNGx'))", "ok ['image/png']"),
            ("open('x.jpg', 'wb').write(b'\\xff\\xd8\\xffx'); from IPython.display import Image; display(Image('x.jpg'))", "ok ['image/jpeg']"),
            ("import IPython\nIPython.get_ipython().run_line_magic('matplotlib', 'inline')", "ok"),
            ("from IPython.core.display import SVG, clear_output\nclear_output(wait=True); display(SVG('<svg/>'))", "ok ['image/svg+xml']"),
            ("from IPython.display import Audio, display\ndisplay(Audio([0, 1, -1], rate=8000), Audio('https://x/y.mp3'))", "ok ['text/html'] ['text/html']"),
            ("from IPython.display import Video, IFrame, YouTubeVideo, Code, display\ndisplay(Video('https://x/y'), IFrame('https://x', 1, 2), YouTubeVideo('a'), Code('1'))", "ok" + 4 * " ['text/html']"),
            ("from IPython.display import Image, publish_display_data, display\ndisplay(Image(b'\\x89PNG', width=3)); publish_display_data({'text/html': 'x'})", "ok ['image/png', 'metadata'] ['text/html']"),
            ("get_ipython().run_line_magic('pwd', '')", f"ok {str(self.place)!r}"),
        ):
            with self.subTest(source=source):
                self.assertEqual(self.cells(source), [wanted])

    def test_own_ipython_of_the_image_displays_likewise(self) -> None:
        (self.place / "IPython/core").mkdir(parents=True)
        for name, text in (
            ("__init__", "from IPython.core.getipython import get_ipython"),
            ("core/__init__", ""),
            ("core/getipython", "def get_ipython(): return None"),
            ("core/display_functions", "def display(*x): print('text')\ndef clear_output(): print('escapes')"),
            ("display", "from IPython.core.display_functions import *"),
        ):
            (self.place / f"IPython/{name}.py").write_text(text)
        source = "import sys; sys.path.insert(0, '.')\nfrom IPython.display import display, clear_output\nimport IPython\ndisplay(1); clear_output()\nIPython.get_ipython() is get_ipython()"
        self.assertEqual(self.cells(source), ["ok 1 True"])
