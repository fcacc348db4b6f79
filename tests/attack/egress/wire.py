"""wire - what the attacks on a network share: connections, questions of DNS, hellos of TLS."""

import socket
import ssl
import struct

LISTED, OTHER = "api.example", "other.example"  # as long as it takes; both are there outside
SECRET = f"GET /secret HTTP/1.1\r\nHost: {OTHER}\r\n\r\n".encode()  # what no list here allows
PATIENCE = 60  # seconds: only what is stuck takes so long


def exchange(host: str, port: int, send: bytes = b"") -> bytes:
    """Send all, say that it was all, and return what came until the end or a reset."""
    came = b""
    try:
        with socket.create_connection((host, port), PATIENCE) as connection:
            connection.sendall(send)
            connection.shutdown(socket.SHUT_WR)
            while piece := connection.recv(65536):
                came += piece
    except TimeoutError:
        raise
    except OSError:
        pass
    return came


def get(host: str, port: int = 80, name: str = "") -> str:
    """Ask for a page, and return the server's words, which say who was asked for what, and where."""
    request = f"GET /secret HTTP/1.1\r\nHost: {name or host}\r\n\r\n"
    head, _, body = exchange(host, port, request.encode()).partition(b"\r\n\r\n")
    return body.decode().strip() if head.startswith(b"HTTP/1.1 200") else ""


def question(name: str, kind: int = 1, edns: bytes = b"") -> bytes:
    """Return a question of DNS."""
    labels = b"".join(bytes([len(label)]) + label for label in name.encode().split(b".")) + b"\0"
    extra = b"\0" + struct.pack(">HHIH", 41, 1232, 0, len(edns)) + edns if edns else b""
    head = struct.pack(">HHHHHH", 0x1234, 0x0100, 1, 0, 0, bool(edns))
    return head + labels + struct.pack(">HH", kind, 1) + extra


def ask(message: bytes, server: str = "198.18.0.1") -> bytes:
    """Ask a resolver over UDP."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(PATIENCE)
        client.connect((server, 53))
        client.send(message)
        return client.recv(4096)


def ask_stream(message: bytes) -> bytes:
    """Ask over TCP."""
    return exchange("198.18.0.1", 53, struct.pack(">H", len(message)) + message)


class Hello:
    """The client's side of a TLS connection whose bytes somebody else carries."""

    def __init__(self, name: str) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_hostname=name or None)

    def next(self, came: bytes = b"") -> bytes:
        """Return what it says next, after what the server has said."""
        self.incoming.write(came)
        try:
            self.tls.do_handshake()
        except ssl.SSLWantReadError:
            pass
        return self.outgoing.read()


def with_extension(hello: bytes, kind: int, body: bytes) -> bytes:
    """Return a record with a ClientHello, which has one more extension."""
    at = 5 + 4 + 2 + 32  # the record, the message, its version, its random
    at += 1 + hello[at]
    at += 2 + int.from_bytes(hello[at : at + 2], "big")
    at += 1 + hello[at]
    more = struct.pack(">HH", kind, len(body)) + body

    def grown(where: int, width: int) -> bytes:
        """Return the length there, with what is added."""
        return (int.from_bytes(hello[where : where + width], "big") + len(more)).to_bytes(width, "big")

    lengths = hello[:3] + grown(3, 2) + hello[5:6] + grown(6, 3) + hello[9:at] + grown(at, 2)
    return lengths + hello[at + 2 :] + more


def record(connection: socket.socket) -> bytes:
    """Read one record of TLS; nothing if the connection ends before."""
    came = b""
    wanted = 5
    while len(came) < wanted:
        try:
            piece = connection.recv(wanted - len(came))
        except ConnectionError:
            return b""
        if not piece:
            return b""
        came += piece
        if len(came) == 5:
            wanted += int.from_bytes(came[3:5], "big")
    return came


def is_server_hello(came: bytes) -> bool:
    """Tell whether an answer begins with a ServerHello."""
    return came[:2] == b"\x16\x03" and came[5:6] == b"\x02"
