"""jupyter - a client of a kernel: Jupyter's messages over libzmq, which the kernel links anyway."""

import ctypes
import hashlib
import hmac
import json
import os
import socket
import subprocess
import time
import unittest
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from support.run import GLOVEBOX
from support.times import DEADLINE

SUB, REQ, DEALER = 2, 3, 5
IDENTITY, SUBSCRIBE, LINGER, RCVTIMEO, SNDMORE = 5, 6, 17, 27, 2
SOCKETS = {"shell": DEALER, "control": DEALER, "stdin": DEALER, "iopub": SUB, "hb": REQ}
DELIMITER = b"<IDS|MSG>"
Content = dict[str, Any]


class Message:
    """A message that has come."""

    def __init__(self, parts: list[bytes]) -> None:
        """Take its parts."""
        at = parts.index(DELIMITER)
        self.signature = parts[at + 1]
        self.signed = parts[at + 2 : at + 6]
        self.header, self.parent, _, self.content = map(json.loads, self.signed)
        self.type: str = self.header["msg_type"]


class Kernel:
    """A kernel of ours, and a client with its key."""

    def __init__(
        self, case: unittest.TestCase, folder: Path, *flags: str, env: dict[str, str] | None = None, program: str | Path = GLOVEBOX
    ) -> None:
        """Start it; it ends with the test."""
        self.case = case
        self.key = uuid.uuid4().hex.encode()
        self.folder = folder
        self.file = folder / "connection.json"
        self.ports = free_ports(len(SOCKETS))
        self.file.write_text(json.dumps({
            "ip": "127.0.0.1", "transport": "tcp", "key": self.key.decode(), "signature_scheme": "hmac-sha256", "extra": 1,
            **{f"{name}_port": port for name, port in zip(SOCKETS, self.ports, strict=True)}}))  # fmt: skip
        self.log = (folder / "log").open("w+b")
        case.addCleanup(self.log.close)
        self.process = subprocess.Popen(
            [program, "kernel", "-f", str(self.file), *flags], cwd=folder, stdin=subprocess.DEVNULL, stdout=self.log,
            stderr=self.log, env={**os.environ, **(env or {})}, start_new_session=True)  # fmt: skip
        case.addCleanup(self.stop)
        self.zmq = load()
        self.context = ctypes.c_void_p(self.zmq.zmq_ctx_new())
        case.addCleanup(self.zmq.zmq_ctx_term, self.context)
        self.session = uuid.uuid4().hex
        self.client = self.connect()

    def stop(self) -> None:
        """End it as a client does that has no time."""
        self.process.terminate()
        self.process.wait(timeout=DEADLINE)

    def said(self) -> str:
        """Return what it has written to its client's log."""
        return (self.folder / "log").read_text(errors="replace")

    def connect(self) -> "Client":
        """Connect one more client."""
        return Client(self)


class Client:
    """Five sockets."""

    def __init__(self, kernel: Kernel) -> None:
        """Connect, and wait until published messages come, too."""
        self.kernel, self.zmq = kernel, kernel.zmq
        self.sockets = {}
        identity = uuid.uuid4().hex.encode()  # one for all: the kernel asks who has sent the request
        for (name, kind), port in zip(SOCKETS.items(), kernel.ports, strict=True):
            one = self.sockets[name] = ctypes.c_void_p(self.zmq.zmq_socket(kernel.context, kind))
            kernel.case.addCleanup(self.zmq.zmq_close, one)
            self._set(one, LINGER, 0)
            self._set(one, RCVTIMEO, int(DEADLINE * 1000))
            self.zmq.zmq_setsockopt(one, IDENTITY, identity, len(identity))
            if kind == SUB:
                self.zmq.zmq_setsockopt(one, SUBSCRIBE, b"", 0)
            assert not self.zmq.zmq_connect(one, f"tcp://127.0.0.1:{port}".encode())

    def _set(self, one: ctypes.c_void_p, option: int, value: int) -> None:
        self.zmq.zmq_setsockopt(one, option, ctypes.byref(ctypes.c_int(value)), 4)

    def send_parts(self, name: str, parts: list[bytes]) -> None:
        """Send any message."""
        for at, part in enumerate(parts):
            done = self.zmq.zmq_send(self.sockets[name], part, len(part), SNDMORE if at + 1 < len(parts) else 0)
            assert done == len(part)

    def receive_parts(self, name: str, patience: float = DEADLINE) -> list[bytes]:
        """Receive one; [] if none comes in time."""
        self._set(self.sockets[name], RCVTIMEO, int(patience * 1000))
        parts, more = [], True
        while more:
            frame = (ctypes.c_byte * 64)()
            self.zmq.zmq_msg_init(frame)
            size = self.zmq.zmq_msg_recv(frame, self.sockets[name], 0)
            if size < 0:
                return []
            parts.append(ctypes.string_at(self.zmq.zmq_msg_data(frame), size))
            more = bool(self.zmq.zmq_msg_more(frame))
            self.zmq.zmq_msg_close(frame)
        return parts

    def composed(
        self, kind: str, content: object, key: bytes | None = None, parent: Content | None = None
    ) -> tuple[str, list[bytes]]:
        """Return a message's id and parts."""
        number = uuid.uuid4().hex
        header = {"msg_id": number, "session": self.kernel.session, "username": "test", "date": "2026-12-01T00:00:00Z",
                  "msg_type": kind, "version": "5.3"}  # fmt: skip
        four = [json.dumps(part).encode() for part in (header, parent or {}, {}, content)]
        return number, [DELIMITER, sign(self.kernel.key if key is None else key, four), *four]

    def send(self, name: str, kind: str, parent: Content | None = None, **content: Any) -> str:
        """Send a request; return its id."""
        number, parts = self.composed(kind, content, parent=parent)
        self.send_parts(name, parts)
        return number

    def receive(self, name: str, patience: float = DEADLINE) -> Message | None:
        """Receive a message, which must be signed."""
        parts = self.receive_parts(name, patience)
        if not parts:
            return None
        message = Message(parts)
        self.kernel.case.assertEqual(message.signature, sign(self.kernel.key, message.signed))
        return message

    def reply(self, name: str, number: str) -> Message:
        """Receive the reply to a request; others are dropped."""
        while message := self.receive(name):
            if message.parent.get("msg_id") == number:
                return message
        raise AssertionError(f"no reply; the kernel said: {self.kernel.said()}")

    def ask(self, name: str, kind: str, **content: Any) -> Content:
        """Send a request, and return the content of its reply."""
        return self.reply(name, self.send(name, kind, **content)).content

    def published(self, number: str) -> Iterator[Message]:
        """Yield what is published about a request, up to its end."""
        while message := self.receive("iopub"):
            if message.parent.get("msg_id") != number:
                continue
            if message.type == "status" and message.content["execution_state"] == "idle":
                return
            if message.type != "status":
                yield message
        raise AssertionError(f"nothing is published; the kernel said: {self.kernel.said()}")

    def listen(self) -> None:
        """Wait until the kernel is there and what it publishes comes."""
        while True:
            number = self.send("shell", "kernel_info_request")
            self.reply("shell", number)
            message = self.receive("iopub", 0.2)
            if message:
                break
        while self.receive("iopub", 0.1):
            pass

    def execute(self, code: str, **more: Any) -> tuple[Content, list[tuple[str, Content]]]:
        """Execute a cell; return the reply, and what was published but for the source."""
        number = self.send("shell", "execute_request", code=code, **more)
        seen = [(one.type, one.content) for one in self.published(number) if one.type != "execute_input"]
        return self.reply("shell", number).content, seen

    def printed(self, code: str, **more: Any) -> str:
        """Execute a cell; return what it printed."""
        _, seen = self.execute(code, **more)
        return "".join(content["text"] for kind, content in seen if kind == "stream")


def sign(key: bytes, four: list[bytes]) -> bytes:
    """Return the signature of a message."""
    return hmac.new(key, b"".join(four), hashlib.sha256).hexdigest().encode()


def free_ports(count: int) -> list[int]:
    """Return ports that nobody has."""
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


def load() -> ctypes.CDLL:
    """Return libzmq."""
    library = ctypes.CDLL("libzmq.so.5")
    for name in ("zmq_ctx_new", "zmq_socket", "zmq_msg_data"):
        getattr(library, name).restype = ctypes.c_void_p
    return library


def wait_for_end(process: subprocess.Popen[bytes]) -> int:
    """Return how a kernel that ends by itself has ended."""
    until = time.monotonic() + DEADLINE
    while process.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    assert process.returncode is not None
    return process.returncode
