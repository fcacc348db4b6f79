"""outside_world - what support/outside.py starts: a host's network, and the Internet behind it.

    unshare --mount --net ... python3 outside_world.py CONFIGURATION

This process is in the namespaces of "the host": there a test runs glovebox. It has a resolver at
127.0.0.1, which answers from a table, and one link to a second network namespace, in which a child of
it serves what the configuration names. Nothing of either reaches the machine's own network. It says
"ready" and lives until its input ends.
"""

import base64
import functools
import hashlib
import http.server
import json
import os
import pwd
import re
import socket
import socketserver
import ssl
import struct
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

HERE, THERE = "192.0.2.1", "192.0.2.2"  # the two ends of the link
HERE6, THERE6 = "2001:db8::1", "2001:db8::2"
A, AAAA = 1, 28
NXDOMAIN = 3
PIECE = 65536
GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455


def ip(*words: str) -> None:
    """Run ip(8)."""
    subprocess.run(["ip", *words], check=True, stdin=subprocess.DEVNULL)


# -- the host


class Resolver(threading.Thread):
    """A DNS server on 127.0.0.1 with a table of names; it writes down what it is asked for."""

    def __init__(self, names: dict[str, list[list[str]]], asked: Path) -> None:
        super().__init__(daemon=True)
        self.names = names  # each time the next list of addresses; the last one stays
        self.asked = asked
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 53))

    def run(self) -> None:
        """Answer for ever."""
        while True:
            query, client = self.socket.recvfrom(4096)
            self.socket.sendto(self.answer(query), client)

    def answer(self, query: bytes) -> bytes:
        """Return the answer to one question."""
        at, labels = 12, []
        while query[at]:
            labels.append(query[at + 1 : at + 1 + query[at]].decode("latin-1"))
            at += 1 + query[at]
        name, question = ".".join(labels), query[12 : at + 5]
        kind = struct.unpack_from(">H", query, at + 1)[0]
        with self.asked.open("a") as file:
            file.write(f"{name} {kind}\n")
        turns = self.names.get(name.lower())
        if turns is None:
            return query[:2] + struct.pack(">HHHHH", 0x8180 | NXDOMAIN, 1, 0, 0, 0) + question
        addresses = turns.pop(0) if len(turns) > 1 and kind == A else turns[0]
        family = {A: socket.AF_INET, AAAA: socket.AF_INET6}.get(kind)
        found = [socket.inet_pton(family, a) for a in addresses if (":" in a) == (kind == AAAA)] if family else []
        records = (b"\xc0\x0c" + struct.pack(">HHIH", kind, 1, 60, len(raw)) + raw for raw in found)
        return query[:2] + struct.pack(">HHHHH", 0x8180, 1, len(found), 0, 0) + question + b"".join(records)


def name_us(folder: Path) -> list[str]:
    """Write a passwd that knows the user who runs the tests, if it has no name: programs there may ask for it."""
    try:
        pwd.getpwuid(os.getuid())
        return []
    except KeyError:
        row = f"tests:x:{os.getuid()}:{os.getgid()}:::/bin/sh\n"
        (folder / "passwd").write_text(Path("/etc/passwd").read_text() + row)
        return ["passwd"]


def be_the_host(said: dict[str, Any], folder: Path) -> None:
    """Set up this side, start the other one, and wait for the end."""
    (folder / "resolv.conf").write_text("nameserver 127.0.0.1\noptions timeout:1 attempts:2\n")
    (folder / "hosts").write_text("127.0.0.1 localhost\n" + said["hosts"])
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    for name in ("resolv.conf", "hosts", *name_us(folder)):
        subprocess.run(["mount", "--bind", folder / name, f"/etc/{name}"], check=True)
    ip("link", "set", "lo", "up")
    for address in said["own"]:
        ip("address", "add", address, "dev", "lo")
    world = subprocess.Popen(
        ["unshare", "--net", sys.executable, __file__, sys.argv[1], "world"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert world.stdin and world.stdout
    world.stdout.readline()  # it is in its namespace
    ip("link", "add", "h0", "type", "veth", "peer", "name", "w0", "netns", str(world.pid))
    ip("address", "add", f"{HERE}/30", "dev", "h0")
    ip("address", "add", f"{HERE6}/64", "dev", "h0", "nodad")
    ip("link", "set", "h0", "up")
    ip("route", "add", "default", "via", THERE)
    ip("-6", "route", "add", "default", "via", THERE6)
    world.stdin.write(b"linked\n")
    world.stdin.flush()
    world.stdout.readline()  # it serves
    Resolver(said["names"], folder / "asked").start()
    for address, port, kind in said["local"]:
        serve(address, port, kind, folder)
    print("ready", flush=True)
    sys.stdin.read()
    world.kill()
    world.wait()


# -- the world


class Pages(http.server.BaseHTTPRequestHandler):
    """Says who was asked for what, and takes what it is sent."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer with the host and the path; /bytes/N is so long."""
        body = f"{self.headers['Host']} {self.path} at {self.server.server_address[0]}\n".encode()
        is_much = self.path.startswith("/bytes/")
        size = int(self.path.split("/")[2]) if is_much else len(body)
        self.send_response(200)
        self.send_header("Content-Length", str(size))
        self.end_headers()
        for start in range(0, size, PIECE):
            self.wfile.write(b"x" * min(PIECE, size - start) if is_much else body)

    def do_POST(self) -> None:
        """Answer with the number of bytes that came."""
        got = len(self.rfile.read(int(self.headers["Content-Length"])))
        body = f"{got}\n".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Echo(socketserver.BaseRequestHandler):
    """Speaks first, as a database does, and then repeats what it gets."""

    def handle(self) -> None:
        """Serve one connection."""
        self.request.sendall(b"hello\n")
        while piece := self.request.recv(PIECE):
            self.request.sendall(piece)


class Files(http.server.SimpleHTTPRequestHandler):
    """Serves the files below www/, by GET and HEAD."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Socket(socketserver.BaseRequestHandler):
    """Becomes a WebSocket, and then repeats what it gets, byte by byte."""

    def handle(self) -> None:
        """Serve one connection."""
        head = b""
        while b"\r\n\r\n" not in head and (piece := self.request.recv(PIECE)):
            head += piece
        head, _, rest = head.partition(b"\r\n\r\n")
        key = re.search(rb"Sec-WebSocket-Key: (\S+)", head)
        accepted = base64.b64encode(hashlib.sha1(key[1] + GUID).digest()) if key else b""
        answer = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        self.request.sendall(answer + b"Sec-WebSocket-Accept: " + accepted + b"\r\n\r\n" + rest)
        while piece := self.request.recv(PIECE):
            self.request.sendall(piece)


class Database(socketserver.BaseRequestHandler):
    """Speaks as much of PostgreSQL's protocol as psql needs for one question."""

    def message(self, kind: bytes, body: bytes) -> bytes:
        """Return one message."""
        return kind + struct.pack(">I", 4 + len(body)) + body

    def take(self, size: int) -> bytes:
        """Read so many bytes; fewer at the end."""
        got = b""
        while len(got) < size and (piece := self.request.recv(size - len(got))):
            got += piece
        return got

    def handle(self) -> None:
        """Serve one connection."""
        self.take(8)  # a request for TLS
        self.request.sendall(b"N")
        self.take(struct.unpack(">I", self.take(4))[0] - 4)
        ready = self.message(b"Z", b"I")
        self.request.sendall(self.message(b"R", struct.pack(">I", 0)) + ready)
        while kind := self.take(1):
            self.take(struct.unpack(">I", self.take(4))[0] - 4)
            if kind != b"Q":
                return
            column = struct.pack(">H", 1) + b"answer\0" + struct.pack(">IHIHIH", 0, 0, 25, 65535, 0xFFFFFFFF, 0)
            row = struct.pack(">HI", 1, 2) + b"42"
            told = self.message(b"T", column) + self.message(b"D", row) + self.message(b"C", b"SELECT 1\0")
            self.request.sendall(told + ready)


class Proxy(socketserver.BaseRequestHandler):
    """An HTTP proxy that knows CONNECT only, and for some hosts has an answer of its own.

    It writes down whom it was asked for, and as whom; every name leads to `leads_to`.
    """

    OWN = {
        "refused.example": b"HTTP/1.1 403 Forbidden\r\nContent-Length: 3\r\n\r\nno\n",
        "moved.example": b"HTTP/1.1 204 No Content\r\n\r\n",
        "garbage.example": b"SSH-2.0-x\r\nHTTP/1.1 200 OK\r\n\r\nhello\n",
        "bare.example": b"HTTP/1.1 200 OK\nA: b\n\nhello\n",
        "long.example": b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 4000 + b"\r\nhello\n",
        "leaves.example": b"HTTP/1.1 200 OK\r\n",
    }
    REFUSED = "93.184.216.35"  # as an address

    leads_to: str
    notes: Path

    def head(self) -> list[str]:
        """Return the lines of the request, which has nothing behind it: nobody speaks before the answer."""
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            piece = self.request.recv(PIECE)
            if not piece:
                return []
            head += piece
        return head.decode().split("\r\n")

    def handle(self) -> None:
        """Serve one connection."""
        lines = self.head()
        if not lines:
            return
        method, target, _ = lines[0].split(" ")
        name, port = target.rsplit(":", 1)
        user = [line.partition(": ")[2] for line in lines if line.startswith("Proxy-Authorization: Basic ")]
        with self.notes.open("a") as file:
            file.write(f"{target} {method} {''.join(user).replace('Basic ', '')}\n")
        if f"Host: {target}" not in lines:
            self.request.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        elif name == "silent.example":
            self.request.recv(1)
        elif name in self.OWN:
            self.request.sendall(self.OWN[name])
        elif name == self.REFUSED:
            self.request.sendall(self.OWN["refused.example"])
        else:
            self.connect(name, int(port))

    def connect(self, name: str, port: int) -> None:
        """Let it through: the head in pieces, and the last one with the server's first bytes."""
        is_name = name[-1].isalpha()
        with socket.create_connection((self.leads_to if is_name else name, port)) as server:
            first = server.recv(6) if port == 5432 else b""  # that server speaks first
            self.request.sendall(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 2")
            self.request.sendall(b"00 OK\r\nContent-Length: 5\r\n\r\n" + first)
            back = threading.Thread(target=self.pump, args=(server, self.request), daemon=True)
            back.start()
            self.pump(self.request, server)
            back.join()

    def pump(self, source: socket.socket, target: socket.socket) -> None:
        """Pass on what one side says, and its end."""
        try:
            while piece := source.recv(PIECE):
                target.sendall(piece)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # one of the two is gone


class Repeat(socketserver.BaseRequestHandler):
    """Sends each datagram back."""

    def handle(self) -> None:
        """Serve one datagram."""
        data, server = self.request
        server.sendto(data, self.client_address)


class Server(http.server.ThreadingHTTPServer):
    """A server of either family."""

    request_queue_size = 512

    def __init__(self, address: str, port: int, handler: type, context: ssl.SSLContext | None) -> None:
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        super().__init__((address, port), handler)
        if context:
            self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)

    def server_bind(self) -> None:
        """Bind without asking who we are: there is no resolver for that here."""
        socketserver.TCPServer.server_bind(self)

    def handle_error(self, *_: object) -> None:
        """A client that leaves is no error here."""


def tls_of(kind: str, folder: Path) -> ssl.SSLContext:
    """Return the server's side of TLS, which writes down each name that a hello has."""

    def believe(_: object, name: str | None, __: object) -> None:
        with (folder / "believed").open("a") as file:
            file.write(f"{name}\n")

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem")
    context.sni_callback = believe
    if kind == "retry":
        context.set_ecdh_curve("secp384r1")  # for which no client sends a key before it is asked
    return context


def serve(address: str, port: int, kind: str, folder: Path) -> None:
    """Serve one port.

    http, tls, retry (tls that asks for a second hello): pages; files, tls-files: www/; echo, and udp,
    one, too; websocket; database; "proxy ADDRESS": Proxy, for which that is every name.
    """
    server: socketserver.BaseServer
    if kind == "udp":
        server = socketserver.ThreadingUDPServer((address, port), Repeat)
    else:
        context = tls_of(kind, folder) if kind in ("tls", "retry", "tls-files") else None
        handlers: dict[str, Any] = {"echo": Echo, "websocket": Socket, "database": Database}
        if kind.startswith("proxy "):
            handlers[kind] = type("", (Proxy,), {"leads_to": kind.split()[1], "notes": folder / "proxied"})
        if kind.endswith("files"):
            handlers[kind] = functools.partial(Files, directory=str(folder / "www"))
        server = Server(address, port, handlers.get(kind, Pages), context)
    threading.Thread(target=server.serve_forever, daemon=True).start()


def be_the_world(said: dict[str, Any], folder: Path) -> None:
    """Serve what the configuration names, until our input ends."""
    print("apart", flush=True)
    sys.stdin.readline()  # there is a link now
    ip("link", "set", "lo", "up")
    ip("address", "add", f"{THERE}/30", "dev", "w0")
    ip("address", "add", f"{THERE6}/64", "dev", "w0", "nodad")
    ip("link", "set", "w0", "up")
    for address in sorted({address for address, _, _ in said["servers"]}):
        ip("address", "add", address, "dev", "lo", *(["nodad"] if ":" in address else []))
    for address, port, kind in said["servers"]:
        serve(address, port, kind, folder)
    print("serves", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    place = Path(sys.argv[1])
    configuration = json.loads((place / "world.json").read_text())
    os.chdir("/")
    (be_the_world if len(sys.argv) > 2 else be_the_host)(configuration, place)
