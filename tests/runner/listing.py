"""listing - the classes of a suite and their tests, without a module of them being imported here.

A class is a row: its file, its name with its module's in front, its tests; those of them that it marks
with `kernel` and `quick`; whether it is to be alone; and `broken`, why its module cannot be loaded.
"""

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from runner.process import environment

HERE = Path(__file__).resolve().parent.parent
WORKER = HERE / "worker.py"

Row = dict[str, Any]


def list_suites(suites: Iterable[str]) -> dict[str, list[Row]]:
    """Return the rows of each suite; unit has none."""
    return {suite: _list(suite) for suite in dict.fromkeys(suites) if suite != "unit"}


def _list(suite: str) -> list[Row]:
    command = [sys.executable, str(WORKER), "list", str(HERE / suite)]
    listed = subprocess.run(command, stdout=subprocess.PIPE, env=environment(), check=True).stdout
    return [json.loads(line) for line in listed.splitlines()]
