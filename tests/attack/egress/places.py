"""places - hosts, ports and addresses that no list allows."""

import ipaddress
import socket

from wire import LISTED, OTHER, get


def host() -> str:
    """An unlisted host."""
    return get(OTHER)


def port() -> str:
    """A listed host at a port of another one."""
    try:
        with socket.create_connection((LISTED, 5432), 60) as connection:
            return connection.recv(100).decode()
    except ConnectionError:
        return ""


def address(literal: str) -> str:
    """An address in place of a name."""
    return get(literal, name=OTHER)


def spellings(literal: str) -> str:
    """Other spellings of an IPv4 address: octal, hexadecimal, short, one number, IPv4-mapped."""
    number = int(ipaddress.IPv4Address(literal))
    a, b, c, d = number.to_bytes(4, "big")
    ways = [f"0{a:o}.0{b:o}.0{c:o}.0{d:o}", f"{a:#x}.{b:#x}.{c:#x}.{d:#x}", f"{a}.{number & 0xFFFFFF}", f"{number:#x}"]
    ways += [str(number), f"::ffff:{literal}", f"::ffff:{a:x}{b:02x}:{c:x}{d:02x}"]
    reached = [way for way in ways if get(way, name=OTHER)]
    return f"{len(reached)} of {len(ways)}: {reached}" if reached else ""


def name(name: str, port: str) -> str:
    """A listed name that leads where nothing of the Internet is."""
    return get(name, int(port))


def rebound(name: str) -> str:
    """DNS rebinding: a name that has another address when it is looked up again."""
    inside = socket.gethostbyname(name)  # the first answer is a good one
    said = [get(inside, name=name) for _ in range(3)]
    return next((text for text in said if "127.0.0.1" in text), "")


def borrowed(address: str) -> str:
    """The address that a name has in another sandbox."""
    return get(address, name=LISTED)


def ports_taken() -> str:
    """A program that binds the ports of the list before others can be asked there."""
    taken = []
    for option in (None, socket.SO_REUSEADDR, socket.SO_REUSEPORT):
        for at in ("0.0.0.0", "127.0.0.1", "198.18.0.2"):
            with socket.socket() as thief:
                if option:
                    thief.setsockopt(socket.SOL_SOCKET, option, 1)
                try:
                    thief.bind((at, 8080))
                    thief.listen()
                except OSError:
                    continue
                taken.append(f"{at} with {option}")
    return ", ".join(taken)


def datagrams(to: str) -> str:
    """UDP to a listed host."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(60)
        client.connect((to, 9000))
        try:
            client.send(b"question")
            return client.recv(100).decode()
        except ConnectionRefusedError:
            return ""
