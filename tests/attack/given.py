"""given - what an attack finds: see given_caller and given_host.

A preparation is a generator: it makes one thing in a temporary directory, yields what the run
needs to know of it, and takes it away again.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

SECRET = "secret-of-the-host"


@dataclass
class Given:
    """What a preparation asks of the run."""

    flags: tuple[str, ...] = ()
    args: tuple[str, ...] = ()
    popen: dict[str, object] = field(default_factory=dict)
    output: Path | None = None  # where standard output went, if not to us
    evidence: Callable[[], str] = lambda: ""  # asked after the run
