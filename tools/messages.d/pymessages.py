"""pymessages - messages of the Python inside (rootfs/guest): what is raised, written, returned or kept."""

import ast
from collections.abc import Iterator
from pathlib import Path

from row import Row, Unknown
from ways import OTHER_TEXTS, PROSE

# What takes a text to where a user sees it, and what only asks.
TAKES = {"append", "write", "print", "format", "join", "report"}
ASKS = {"has", "namedtuple", "getattr", "compile"}


def collect(root: Path) -> Iterator[Row]:
    """Every message of the guest."""
    for path in sorted((root / "rootfs/guest").glob("*.py")):
        yield from Messages(path.relative_to(root).as_posix()).read(path.read_text())


class Messages(ast.NodeVisitor):
    """The messages of one file."""

    def __init__(self, path: str) -> None:
        """Have none yet."""
        self.path = path
        self.above: list[ast.AST] = []
        self.rows: list[Row] = []

    def read(self, text: str) -> list[Row]:
        """Find them."""
        self.visit(ast.parse(text))
        return self.rows

    def visit(self, node: ast.AST) -> None:
        """Look at texts; annotations and docstrings are for who reads the source."""
        if isinstance(node, (ast.JoinedStr, ast.Constant)):
            text = template(node)
            if PROSE.search(text) and not OTHER_TEXTS.match(text) and not isinstance(self.above[-1], ast.Expr):
                self.take(node, text)
            if isinstance(node, ast.Constant):
                return
        self.above.append(node)
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns") or (isinstance(node, ast.JoinedStr) and name == "values"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    self.visit(child)
        self.above.pop()

    def take(self, node: ast.expr, text: str) -> None:
        """Note a text with the kind of what surrounds it."""
        scopes = [a.name for a in self.above if isinstance(a, (ast.FunctionDef, ast.ClassDef))]
        kind = self.kind(node)
        if kind:
            self.rows.append(Row(self.path, ".".join(scopes) or "-", kind, text.replace("\n", "\\n")))

    def kind(self, node: ast.expr) -> str:
        """What becomes of it: the exception's name, "stderr", "part", or "" for what is no message."""
        call = next((a for a in reversed(self.above) if isinstance(a, ast.Call)), None)
        if not call:
            return "part"
        name = ast.unparse(call.func).split(".")[-1]
        if any(isinstance(a, ast.Raise) for a in self.above) and (name[:1].isupper()):
            return name
        if name in ASKS:
            return ""
        if name not in TAKES:
            raise Unknown(self.path, node.lineno, f"a text goes to {name}(): name it in tools/messages.d/pymessages.py")
        return "stderr" if "stderr" in ast.unparse(call) else "part"


def template(node: ast.expr) -> str:
    """The text, with %s for what is put into it."""
    if isinstance(node, ast.Constant):
        value = node.value
        return value if isinstance(value, str) else value.decode("latin-1") if isinstance(value, bytes) else ""
    return "".join(template(v) if isinstance(v, ast.Constant) else "%s" for v in getattr(node, "values", []))
