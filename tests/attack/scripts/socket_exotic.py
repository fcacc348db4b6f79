"""Threat: AX.25, Bluetooth, CAN, RDS, TIPC, KCM, XDP, SMC...: families that load modules.

Layer: seccomp. It would succeed when the kernel itself answers for any family but AF_UNIX,
AF_INET, AF_INET6 and AF_NETLINK.
"""

import socket

import _kit

LAST = 46
KEPT = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK)


def attack() -> str | None:
    """Open every other family, and pairs of them."""
    families = [f for f in range(LAST + 1) if f not in KEPT]
    found = _kit.open_sockets((f, kind, 0) for f in families for kind in (1, 2, 3, 5))
    TIPC_PAIR = (30, socket.SOCK_SEQPACKET, 0)
    return ", ".join(filter(None, [found, _kit.open_sockets([TIPC_PAIR], pair=True)]))


_kit.run(attack)
