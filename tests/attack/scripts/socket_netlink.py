"""Threat: netlink families are large parsers in the kernel (netfilter, audit, xfrm, generic...).

Layer: seccomp. It would succeed when the kernel opens any family, also with high bits set. A family
that this kernel lacks has the filter's answer.
"""

import errno
import socket

import _kit

LAST = 31  # MAX_LINKS - 1 (linux/netlink.h)
HIGH = 1 << 32  # the filter compares 64 bits, the kernel uses 32


def attack() -> str | None:
    """Open every family."""
    _kit.REFUSED += (errno.EPROTONOSUPPORT,)
    families = [*range(LAST + 1), HIGH, HIGH | 9]
    return _kit.open_sockets([(socket.AF_NETLINK, socket.SOCK_RAW, f) for f in families])


_kit.run(attack)
