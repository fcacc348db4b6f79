"""egress_alone - glovebox-egress without a sandbox: a test holds the sandbox's end of everything.

    import support.egress_alone as alone
    egress = alone.Egress({"has_list": True, "rules": [...]}, ports=[80], pool=4)

For a program that runs in a world of support/outside.py. `egress.inside()` and `egress.outside()` say
in which of the two networks the sockets that follow are made.
"""

import ctypes
import json
import os
import socket
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

GLOVEBOX = os.environ.get("GLOVEBOX", str(Path(__file__).resolve().parents[2] / "build/bin/glovebox"))
CLONE_NEWNET, CLONE_NEWNS = 0x40000000, 0x20000
PORTS = 64  # of struct egress_sockets
RECVPKTINFO = 49
DEADLINE = 15
LIBC = ctypes.CDLL(None, use_errno=True)


def apart(what: int) -> None:
    """Leave a namespace for a new one."""
    if LIBC.unshare(what):
        raise OSError(ctypes.get_errno(), "unshare")


def question(name: str) -> bytes:
    """Return a DNS question for IPv4 addresses."""
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    return struct.pack(">6H", 1, 0x100, 1, 0, 0, 0) + labels + b"\0" + struct.pack(">2H", 1, 1)


class Egress:
    """The process, which starts in the network where we are; then we are in a new one."""

    def __init__(self, begin: dict[str, Any], ports: Sequence[int] = (), pool: int = 0) -> None:
        self.control, control = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        link, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.process = os.fork()
        if self.process == 0:
            high = [os.dup2(end.fileno(), number) for end, number in ((control, 100), (theirs, 101))]
            for number, fd in zip((3, 4), high):
                os.dup2(fd, number, inheritable=True)
            os.closerange(5, 200)
            os.execve(f"{GLOVEBOX}-egress", ["glovebox-egress"], {})
        control.close()
        theirs.close()
        listening = [socket.create_server((one["address"], one["host_port"])) for one in begin.get("published", ())]
        for one in listening:
            one.setblocking(False)
        self.begun = self.ask({"connections": 256, "log_bytes": 0, **begin, "op": "begin", "sandbox": "x"}, listening)
        assert "ok" in self.begun, self.begun
        self._outside = os.open("/proc/self/ns/net", os.O_RDONLY)
        apart(CLONE_NEWNET)
        self._inside = os.open("/proc/self/ns/net", os.O_RDONLY)
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        self._hand_over(link, ports, pool)

    def ask(self, request: dict[str, Any], listening: Sequence[socket.socket] = ()) -> dict[str, Any]:
        """Return its answer to an order; the sockets of published ports go along, and are closed here."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        socket.send_fds(self.control, [json.dumps(request).encode()], [one.fileno() for one in (theirs, *listening)])
        for one in (theirs, *listening):
            one.close()
        ours.settimeout(DEADLINE)
        return json.loads(ours.recv(1 << 16))

    def summary(self) -> dict[str, Any]:
        """Return what it has counted."""
        return self.ask({"op": "summary"})["summary"]

    def _hand_over(self, link: socket.socket, ports: Sequence[int], pool: int) -> None:
        made = [socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_NONBLOCK, 0)]
        made += [self._bound(socket.SOCK_DGRAM, 53), self._bound(socket.SOCK_STREAM, 53)]
        made += [self._bound(socket.SOCK_STREAM, port) for port in ports]
        made += [socket.socket(socket.AF_INET, socket.SOCK_STREAM | socket.SOCK_NONBLOCK) for _ in range(pool)]
        told = struct.pack(f"4I{PORTS}H", 1, len(ports), pool, 0, *ports, *[0] * (PORTS - len(ports)))
        socket.send_fds(link, [told], [one.fileno() for one in made])
        link.settimeout(DEADLINE)
        assert link.recv(1), "it has ended"
        chosen = (one.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16) for one in made[3:])
        self.congestion = {name.rstrip(b"\0").decode() for name in chosen}  # of all of them but the resolver's
        for one in made:
            one.close()

    def _bound(self, kind: int, port: int) -> socket.socket:
        made = socket.socket(socket.AF_INET6, kind | socket.SOCK_NONBLOCK)
        made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        made.bind(("::", port))
        if kind == socket.SOCK_STREAM:
            made.listen(100)
        else:
            made.setsockopt(socket.IPPROTO_IPV6, RECVPKTINFO, 1)
        return made

    def outside(self) -> None:
        """Be where it was started."""
        LIBC.setns(self._outside, CLONE_NEWNET)

    def inside(self) -> None:
        """Be in the sandbox's network."""
        LIBC.setns(self._inside, CLONE_NEWNET)

    def look_up(self, name: str) -> str:
        """Ask its resolver; return the address that stands for the name inside, or the DNS status."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
            asker.settimeout(DEADLINE)
            asker.sendto(question(name), ("127.0.0.1", 53))
            answer = asker.recv(512)
        return socket.inet_ntoa(answer[-4:]) if answer[7] else f"status {answer[3] & 15}"
