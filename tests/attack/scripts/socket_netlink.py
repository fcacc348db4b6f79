"""Threat: netlink families are large parsers in the kernel (netfilter, audit, xfrm, generic...).

Layer: seccomp. It would succeed when the kernel itself answers for any protocol, also
with high bits set.
"""

import socket

import _kit

LAST = 31  # MAX_LINKS - 1 (linux/netlink.h)


def attack() -> str | None:
    """Open every protocol."""
    wanted = [(socket.AF_NETLINK, socket.SOCK_RAW, p) for p in range(LAST + 1)]
    found = _kit.open_sockets(wanted)
    high = 1 << 32 | 9  # the filter compares 64 bits, the kernel uses 32
    return ", ".join(filter(None, [found, _kit.open_sockets([(socket.AF_NETLINK, 3, high)])]))


_kit.run(attack)
