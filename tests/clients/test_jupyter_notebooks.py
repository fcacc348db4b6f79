"""Jupyter's programs that execute notebooks, as they come from their registry, with `glovebox kernel` (make check-clients)."""

import json
from typing import Any

from support.jupyter_clients import NAME, OF_IPYTHON, Jupyter
from support.times import DEADLINE

NOTEBOOK = """
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

FAILS = {"tags": ["raises-exception"]}
CELLS = [
    new_markdown_cell("# text"),
    new_code_cell("print('out')"),
    new_code_cell("import sys\\nprint('err', file=sys.stderr)"),
    new_code_cell("x = 41\\nx + 1"),
    new_code_cell("from IPython.display import HTML, Markdown, clear_output, display\\ndisplay(HTML('<b>b</b>'), Markdown('*m*'))\\nHTML('<i>i</i>')"),
    new_code_cell("handle = display('before', display_id='one')\\nhandle.update('after')\\ndisplay({'a': 1})"),
    new_code_cell("handle.update('later')"),
    new_code_cell("print('gone')\\nclear_output()\\nprint('here')"),
    new_code_cell("print('gone')\\nclear_output(wait=True)\\nprint('here')"),
    new_code_cell("class Shown:\\n def _repr_mimebundle_(self, **_): return {'text/plain': 't', 'application/json': {'a': [1]}}\\nShown()"),
    new_code_cell("_"),
    new_code_cell("display({'text/plain': 'raw', 'image/png': 'aGk='}, raw=True)"),
    new_code_cell("print('before')\\n1 / 0", metadata=FAILS),
    new_code_cell("raise SystemExit(3)", metadata=FAILS),
    new_code_cell("x;"),
    new_code_cell("await __import__('asyncio').sleep(0, 5)"),
]

def executed(cells):
    notebook = new_notebook(cells=cells)
    NotebookClient(notebook, kernel_name=sys.argv[1], timeout=float(sys.argv[2])).execute()
    nbformat.write(notebook, "out.ipynb")
    return nbformat.read("out.ipynb", as_version=4)

def plain(outputs):
    # Tracebacks look otherwise, the host's IPython warns of a SystemExit, and it sends a line as one or two pieces.
    found = []
    for output in outputs:
        if found and output["output_type"] == "stream" and output["name"] == found[-1].get("name"):
            found[-1]["text"] += output["text"]
        elif "UserWarning" not in output.get("text", ""):
            found.append({name: value for name, value in output.items() if name != "traceback"})
    return found

notebook = executed(CELLS)
nbformat.validate(notebook)
tell(notebook.metadata.language_info.name)
for cell in notebook.cells[1:]:
    tell(cell.execution_count, plain(cell.outputs))
try:
    executed([new_code_cell("1 / 0"), new_code_cell("2")])
except CellExecutionError as error:
    tell(error.ename, error.evalue)
"""

PAPERMILL = """
import nbformat, papermill
from nbformat.v4 import new_code_cell, new_notebook

def performed(*cells, **parameters):
    spec = {"name": "glovebox", "language": "python", "display_name": "any"}
    nbformat.write(new_notebook(cells=list(cells), metadata={"kernelspec": spec}), "in.ipynb")
    papermill.execute_notebook("in.ipynb", "out.ipynb", parameters=parameters, progress_bar=False)
    return nbformat.read("out.ipynb", as_version=4).cells

given = new_code_cell("a, b, c = 1, 'x', None", metadata={"tags": ["parameters"]})
cells = performed(given, new_code_cell("print(a, b)\\nc"), a=5, b="m\\u00fc", c=[1, None, True])
tell([cell.metadata.tags for cell in cells], [output.get("text") or output.data["text/plain"] for output in cells[-1].outputs])
try:
    performed(new_code_cell("1 / 0"), new_code_cell("2"))
except papermill.PapermillExecutionError as error:
    tell(error.ename, error.evalue, error.exec_count)
"""


class Notebooks(Jupyter):
    """Programs that execute notebooks."""

    def outputs(self, kernel: str) -> list[Any]:
        """Return what nbclient has stored."""
        return self.told(NOTEBOOK, kernel, str(DEADLINE))

    def test_nbclient(self) -> None:
        """The same outputs as with ipykernel."""
        ours, theirs = self.outputs(NAME), self.outputs(OF_IPYTHON)
        self.assertEqual(ours, theirs)
        self.assertEqual((len(ours), ours[-1]), (17, ["ZeroDivisionError", "division by zero"]))
        self.assertEqual([output["output_type"] for output in ours[12][1]], ["stream", "error"])

    def test_papermill(self) -> None:
        """Parameters, and a cell that fails."""
        cells = [["parameters"], ["injected-parameters"], []]
        self.assertEqual(self.told(PAPERMILL), [[cells, ["5 mü\n", "[1, None, True]"]], ["ZeroDivisionError", "division by zero", 1]])

    def test_console(self) -> None:
        """Lines that somebody types, and a source on standard input."""
        done = self.perform("jupyter-console", "--simple-prompt", "--kernel", NAME, stdin="1+1\nexit\n")
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        self.assertRegex(done.stdout, r"Out\[1\]: 2\n")
        self.assertEqual(self.perform("jupyter-run", "--kernel", NAME, stdin="print(6 * 7)").stdout, "42\n")

    def executed(self, kernel: str, source: str) -> list[Any]:
        """Have `jupyter execute` perform a notebook of one cell in its place; return the outputs."""
        cell = {"cell_type": "code", "id": "one", "metadata": {}, "source": source, "outputs": [], "execution_count": None}
        path = self.notebooks / "one.ipynb"
        path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}))
        done = self.perform("jupyter-execute", "--allow-errors", "--inplace", f"--kernel_name={kernel}", path)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        return json.loads(path.read_text())["cells"][0]["outputs"]

    def test_files_beside_a_notebook(self) -> None:
        """They are read in /data, and not written."""
        (self.notebooks / "beside.csv").write_text("a,b\n1,2\n")
        (shown, error) = self.executed(NAME, "print(open('/data/beside.csv').read())\nopen('/data/made.txt', 'w')")
        self.assertEqual("".join(shown["text"]), "a,b\n1,2\n\n")
        self.assertEqual((error["ename"], error["evalue"]), ("OSError", "[Errno 30] Read-only file system: '/data/made.txt'"))
        self.assertFalse((self.notebooks / "made.txt").exists())

    def test_files_that_come_back(self) -> None:
        """With --write."""
        self.install("glovebox-writes", "--write")
        (self.notebooks / "beside.csv").write_text("a,b\n1,2\n")
        source = "text = open('/data/beside.csv').read()\nopen('/data/made.txt', 'w').write(text.upper())"
        (shown,) = self.executed("glovebox-writes", source)
        self.assertEqual(shown["data"]["text/plain"], ["8"])
        self.assertEqual((self.notebooks / "made.txt").read_text(), "A,B\n1,2\n")
