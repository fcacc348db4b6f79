# files: helper.py=def f(x: missing) -> None: ...\n
# status: 1
from __future__ import annotations

import helper  # noqa: F401
