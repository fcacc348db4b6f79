"""docker_py_plugin - a plugin of pytest for docker-py's own integration tests: what docker_py_left_out.txt names must fail, all else must pass.

LEFT_OUT names the list, LATE the seconds that a test has, PART which half is performed: that of FIRST, or the rest. `paramiko` is an empty module: docker-py's helpers ask for a class of it.
"""

import os
import signal
import sys
import types
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

LATE = int(os.environ["LATE"])
FIRST = "api_container_test::"  # as long as all the others
Rule = tuple[str, str, bool]

stand_in = types.ModuleType("paramiko")
stand_in.Channel = type("Channel", (), {})  # type: ignore[attr-defined]
sys.modules["paramiko"] = stand_in


def read_rules() -> list[Rule]:
    """Return the list: a pattern, its reason, and whether it is performed."""
    lines = Path(os.environ["LEFT_OUT"]).read_text().splitlines()
    pairs = (line.split("  ", 1) for line in lines if line and line[0] != "#")
    return [(pattern.lstrip("-"), reason, not pattern.startswith("-")) for pattern, reason in pairs]


def name_of(item: pytest.Item) -> str:
    """Return FILE::CLASS::TEST."""
    return item.nodeid.removeprefix("tests/integration/").replace(".py::", "::")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is left out; a line that names no test ends the run."""
    unused = read_rules()
    for item in items:
        name = name_of(item)
        for rule in read_rules():
            pattern, reason, performed = rule
            if fnmatch(name, pattern):
                mark = pytest.mark.xfail(strict=True, reason=reason) if performed else pytest.mark.skip(reason=f"left out: {reason}")
                item.add_marker(mark)
                if rule in unused:
                    unused.remove(rule)
                break
    if unused:
        raise pytest.UsageError("\n".join(f"{pattern}: names no test of docker-py's" for pattern, _, _ in unused))
    items[:] = [item for item in items if name_of(item).startswith(FIRST) == (os.environ["PART"] == "first")]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """End a test that is late."""

    def late(*_: Any) -> None:
        raise TimeoutError(f"after {LATE} s")

    signal.signal(signal.SIGALRM, late)
    signal.alarm(LATE)
    try:
        yield
    finally:
        signal.alarm(0)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: Any) -> Iterator[None]:
    """Let what is left out fail in its tearDown, too."""
    outcome = yield
    report = outcome.get_result()
    if call.when == "teardown" and report.failed and item.get_closest_marker("xfail"):
        report.outcome = "passed"
