"""listing - the classes of a suite and their tests, without a module of them being imported here.

A class is a row: its file, its name with its module's in front, its tests; those of them that it marks
with `kernel`, `quick` and `as_user`; whether it is to be alone; and `broken`, why its module cannot be loaded.
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
    workers = {suite: _begin(suite) for suite in dict.fromkeys(suites) if suite != "unit"}
    listed = {suite: worker.communicate()[0] for suite, worker in workers.items()}
    for suite, worker in workers.items():
        if worker.returncode:
            raise RuntimeError(f"the tests of {suite} cannot be listed: status {worker.returncode}")
    return {suite: [json.loads(line) for line in lines.splitlines()] for suite, lines in listed.items()}


def _begin(suite: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, str(WORKER), "list", str(HERE / suite)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, env=environment())
