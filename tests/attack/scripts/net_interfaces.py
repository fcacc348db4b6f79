"""Threat: a network interface of the host, its addresses, neighbours and routes.

Layer: network namespace. It would succeed when there is another interface than the loopback,
or any route but the loopback's.
"""

import os

import _kit


def rows(table: str, header: int) -> list[list[str]]:
    """Return the rows of a table of the network, as far as there is one."""
    path = f"/proc/self/net/{table}"
    if not os.path.exists(path):
        return []
    with open(path, encoding="ascii") as file:
        return [line.split() for line in file][header:]


def attack() -> str | None:
    """List interfaces, neighbours and routes."""
    found = [row[0] for row in rows("dev", 2) if row[0] != "lo:"]
    found += [f"neighbour {row[0]}" for row in rows("arp", 1)]
    found += [f"route by {row[0]}" for row in rows("route", 1)]
    found += [f"route by {row[-1]}" for row in rows("ipv6_route", 0) if row[-1] != "lo"]
    return ", ".join(found)


_kit.run(attack)
