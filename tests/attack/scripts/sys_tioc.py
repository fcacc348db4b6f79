"""Threat: TIOCSTI types into the terminal of whoever started us, TIOCLINUX pastes into a console.

Layer: seccomp. It would succeed when the kernel itself answers the request, also with the
high 32 bits set: the kernel ignores them, a careless filter does not (CVE-2019-7303).
"""

import _kit

TIOCSTI, TIOCLINUX, TIOCSETD, TIOCCONS = 0x5412, 0x541C, 0x5423, 0x541D
HIGH = (0, 1 << 32, 0xFFFFFFFF << 32)


def attack() -> str | None:
    """Try them on each standard descriptor and on one that does not exist."""
    requests = [r | h for r in (TIOCSTI, TIOCLINUX, TIOCSETD, TIOCCONS) for h in HIGH]
    return _kit.reached(("ioctl", fd, request, None) for request in requests for fd in (0, 1, 99))


_kit.run(attack)
