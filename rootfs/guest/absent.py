"""absent - a line behind a traceback about what is not here: a network, a module.

A lookup without a network fails as if DNS were broken, and a module that the image lacks could be had by
another way, or something else does the same. What is said is looked up when code has failed, never before.

Like display.py this runs beside foreign code, and binds what it uses before that code comes.
"""

from __future__ import annotations

import builtins

__builtins__ = dict(vars(builtins))  # of the functions below; from here on only theirs

import errno
import re
from _socket import gaierror
from collections.abc import Callable
from importlib.machinery import PathFinder
from os import W_OK, access
from sys import builtin_module_names, path, version_info

CHAIN_MAX = 20  # exceptions of one chain that are looked at
TEXT_MAX = 4000  # characters of a message that are looked at
NAME = re.compile(r"[A-Za-z_]\w{0,40}\Z")

# What libraries that look up names themselves say (curl, Rust's, Go's).
LOOKUP = re.compile(r"(?i)resolve host|name resolution|dns error|failed to lookup address|network is unreachable")
UNREACHABLE = {errno.ENETUNREACH, errno.EHOSTUNREACH}
NO_NETWORK = "[NETWORK] there is none here: --egress HOST opens it\n"

# Of a module that is absent: others that serve the same end, and the name of its package, where that is another.
# Only these names are told to pip: a name that a model has made up may be anybody's.
OTHERS = {
    "polars": ("pandas",),
    "duckdb": ("sqlite3", "pandas"),
    "dask": ("pandas",),
    "pyarrow": ("pandas",),
    "fastparquet": ("pyarrow",),
    "plotly": ("matplotlib",),
    "bokeh": ("matplotlib",),
    "altair": ("matplotlib",),
    "seaborn": ("matplotlib",),
    "requests": ("httpx", "urllib"),
    "httpx": ("requests", "urllib"),
    "aiohttp": ("requests", "urllib"),
    "bs4": ("lxml", "html"),
    "lxml": ("xml",),
    "yaml": ("json",),
    "ujson": ("json",),
    "orjson": ("json",),
    "toml": ("tomllib",),
    "pytz": ("zoneinfo",),
    "cv2": ("PIL", "skimage"),
    "skimage": ("PIL", "scipy"),
    "PIL": ("matplotlib",),
    "sklearn": ("scipy", "numpy"),
    "statsmodels": ("scipy",),
    "scipy": ("numpy",),
    "torch": ("numpy",),
    "tensorflow": ("numpy",),
    "numba": ("numpy",),
    "xlsxwriter": ("openpyxl",),
    "openpyxl": ("xlsxwriter", "csv"),
    "xlrd": ("openpyxl",),
    "tabulate": ("pandas",),
    "networkx": ("scipy",),
    "sympy": ("mpmath",),
    "PyPDF2": ("pypdf",),
    "fitz": ("pypdf",),
    "IPython": (),
    "nltk": (),
    "spacy": ("nltk",),
    "geopandas": ("pandas",),
    "docx": (),
    "pptx": (),
    "tqdm": (),
    "jinja2": ("string",),
    "pydantic": ("dataclasses",),
    "psycopg2": (),
    "sqlalchemy": ("sqlite3",),
}
PACKAGES = {
    "bs4": "beautifulsoup4",
    "yaml": "pyyaml",
    "cv2": "opencv-python-headless",
    "skimage": "scikit-image",
    "PIL": "pillow",
    "sklearn": "scikit-learn",
    "fitz": "pymupdf",
    "docx": "python-docx",
    "pptx": "python-pptx",
    "psycopg2": "psycopg2-binary",
}

_get_cause = BaseException.__dict__["__cause__"].__get__
_get_context = BaseException.__dict__["__context__"].__get__
_get_args = BaseException.__dict__["args"].__get__
_get_errno = OSError.errno.__get__  # type: ignore[attr-defined]
_get_name = ImportError.name.__get__  # type: ignore[attr-defined]


def lines(error: BaseException, has_network: Callable[[], bool]) -> list[str]:
    """Return a line for each thing that is not here and that was asked for.

    has_network  asked only if that matters
    """
    chain = chained(error)
    found = missing(chain, has_network) if issubclass(type(error), ImportError) else []
    if any(map(looked_up, chain)) and not has_network():
        found.append(NO_NETWORK)
    return found


def chained(error: BaseException) -> list[BaseException]:
    """Return an exception and those from which it came."""
    chain: list[BaseException] = []
    todo = [error]
    while todo and len(chain) < CHAIN_MAX:
        one = todo.pop()
        if any(one is other for other in chain):
            continue
        chain.append(one)
        todo += [more for more in (_get_cause(one), _get_context(one)) if more is not None]
    return chain


def looked_up(error: BaseException) -> bool:
    """Tell whether an exception is what a lookup or a connection ends with where there is no network."""
    kind = type(error)
    if issubclass(kind, gaierror) or (issubclass(kind, OSError) and _get_errno(error) in UNREACHABLE):
        return True
    texts = (text for text in _get_args(error) if type(text) is str)
    return any(LOOKUP.search(text[:TEXT_MAX]) for text in texts)


def missing(chain: list[BaseException], has_network: Callable[[], bool]) -> list[str]:
    """Return a line about a module that is not installed: not of a part of one that is."""
    for error in chain:
        name = _get_name(error) if issubclass(type(error), ModuleNotFoundError) else None
        name = name.partition(".")[0] if type(name) is str else ""
        if NAME.match(name) and not is_here(name):
            return [f"[PACKAGES] {advice(name, has_network)}\n"]
    return []


def advice(name: str, has_network: Callable[[], bool]) -> str:
    """Return what is here instead, and how the module can be had."""
    others = [other for other in OTHERS.get(name, ()) if is_here(other)]
    instead = f"{name} is not installed, {others[0]} is" if others else f"{name} is not installed"
    package = PACKAGES.get(name, name) if name in OTHERS else "NAME"
    if is_writable() and has_network():
        return f"{instead}: %pip install {package}"
    return f"{instead}: glovebox image build python --pip {package}, or %pip where there is --egress pypi and --writable"


def is_here(name: str) -> bool:
    """Tell whether a module could be imported. Nothing is."""
    try:
        return name in builtin_module_names or PathFinder.find_spec(name, path) is not None
    except Exception:  # foreign code may have put anything there
        return False


def is_writable() -> bool:
    """Tell whether pip may write where it installs for all (--writable)."""
    folder = f"/usr/local/lib/python{version_info[0]}.{version_info[1]}"
    return access(f"{folder}/dist-packages", W_OK) or access(f"{folder}/site-packages", W_OK)
