"""Threat: the caller's terminal: type into it (TIOCSTI), read from it, change its settings.

Layer: session and stdio, seccomp behind them. It would succeed when /dev/tty opens, or a
stream is a terminal.
"""

import os

import _kit


def attack() -> str | None:
    """Open the terminal, ask the streams, try to take one."""
    found = [f"{fd} is a terminal" for fd in (0, 1, 2) if os.isatty(fd)]
    try:
        held = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
        found.append("/dev/tty opens")
        if _kit.reached([("ioctl", held, 0x5412, b"x")]):
            found.append("and can be typed into")
    except OSError:
        pass
    return ", ".join(found)


_kit.run(attack)
