"""outside - an Internet of a test's own: names, addresses and servers in namespaces of their own.

    world = Outside(self, names={"api.example": ["93.184.216.34"]}, servers=[("93.184.216.34", 80, "http")])
    world.run("--egress", "api.example", py="...")

What runs there has a network in which nothing but this is, addresses that look public included. It
takes root, or user namespaces of an ordinary user; support/outside_world.py is the other side.
"""

import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from support.case import Case
from support.processes import children
from support.run import GLOVEBOX, IS_ROOT, Result, command, execute
from support.times import DEADLINE

Server = tuple[str, int, str]  # address, port, and what: see serve() there
Turns = Sequence[str] | Sequence[Sequence[str]]  # addresses; or lists of them, one for each question

WORLD = Path(__file__).with_name("outside_world.py")
TOOLS = ("unshare", "nsenter", "ip", "mount", "openssl")


class Outside:
    """The namespaces, and how to run something in them; gone with the test or class that made it."""

    def __init__(
        self,
        case: type[unittest.TestCase] | unittest.TestCase,
        folder: Path,
        names: Mapping[str, Turns],
        servers: Iterable[Server],
        local: Iterable[Server] = (),
        own: Iterable[str] = (),
        hosts: str = "",
    ) -> None:
        """Start it. @local: servers of the host itself; @own: more addresses of its lo."""
        if missing := [tool for tool in TOOLS if not shutil.which(tool)]:
            raise unittest.SkipTest(f"cannot: {', '.join(missing)} is not installed")
        self.folder = folder / "outside"
        (self.folder / "www").mkdir(parents=True)
        turns = {name: [list(t)] if not t or isinstance(t[0], str) else t for name, t in names.items()}
        said = {"names": turns, "servers": list(servers), "local": list(local), "own": list(own), "hosts": hosts}
        (self.folder / "world.json").write_text(json.dumps(said))
        self._make_certificate([name for name in names if "*" not in name])
        self._start()
        add = case.addClassCleanup if isinstance(case, type) else case.addCleanup
        add(self._end)

    # -- what is there

    @property
    def www(self) -> Path:
        """The folder whose files are served."""
        return self.folder / "www"

    @property
    def certificate(self) -> Path:
        """The certificate of all servers, which is its own authority."""
        return self.folder / "certificate.pem"

    def asked(self) -> list[str]:
        """Return the names that the host's resolver was asked for, in order."""
        return self._noted("asked")

    def believed(self) -> list[str]:
        """Return the names that clients have said to servers of TLS, in order."""
        return self._noted("believed")

    def proxied(self) -> list[tuple[str, str, str]]:
        """Return what a proxy was asked for, in order: "host:port", the method, and the user in Base64."""
        file = self.folder / "proxied"
        lines = file.read_text().splitlines() if file.exists() else []
        return [(a, b, c) for a, b, c in (line.split(" ") for line in lines)]

    def _noted(self, what: str) -> list[str]:
        file = self.folder / what
        return [line.split()[0] for line in file.read_text().splitlines()] if file.exists() else []

    # -- what runs there

    def inside(self, args: Sequence[str | Path]) -> list[str]:
        """Return the command that runs another one there."""
        return self._enter(self.pid, args)

    def beyond(self, args: Sequence[str | Path]) -> list[str]:
        """Return the command that runs another one behind the link, where the servers are."""
        (world,) = children(self.pid)
        return self._enter(world, args)

    def _enter(self, pid: int, args: Sequence[str | Path]) -> list[str]:
        user = [] if IS_ROOT else ["--user", "--preserve-credentials"]
        return ["nsenter", f"--target={pid}", "--mount", "--net", *user, "--", *map(str, args)]

    def execute(self, args: Sequence[str | Path], **options: Any) -> Result:
        """Run any program there to its end."""
        return execute(self.inside(args), **options)

    def run(self, *flags: str | Path, **what: Any) -> Result:
        """Run something in a sandbox there; see support/run.py."""
        options = {key: what.pop(key) for key in ("stdin", "timeout", "env") if key in what}
        return self.execute(command(*flags, **what), **options)

    def glovebox(self, *args: str | Path, **options: Any) -> Result:
        """Run the binary there with these arguments."""
        return self.execute([GLOVEBOX, *args], **options)

    # -- its life

    def _make_certificate(self, names: Sequence[str]) -> None:
        key = self.folder / "key.pem"
        subject = ",".join(f"DNS:{name}" for name in ["localhost", *names])
        words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        words += ["-days", "2", "-subj", "/CN=outside", "-addext", f"subjectAltName={subject}"]
        subprocess.run([*words, "-keyout", key, "-out", self.certificate], check=True, capture_output=True)
        (self.folder / "server.pem").write_bytes(key.read_bytes() + self.certificate.read_bytes())

    def _start(self) -> None:
        user = [] if IS_ROOT else ["--user", "--map-current-user", "--keep-caps"]
        self.process = subprocess.Popen(
            ["unshare", *user, "--mount", "--net", sys.executable, WORLD, self.folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.pid = self.process.pid
        assert self.process.stdout and self.process.stderr
        said = b""
        if select.select([self.process.stdout], [], [], DEADLINE)[0]:
            said = self.process.stdout.readline()
        if said == b"ready\n":
            return
        self.process.kill()
        why = self.process.stderr.read().decode(errors="replace").strip().splitlines()
        self._end()
        raise unittest.SkipTest(f"cannot: no namespaces for a network of tests: {why[-1:]}")

    def _end(self) -> None:
        """Its input ends, and it with everything of it."""
        assert self.process.stdin and self.process.stdout and self.process.stderr
        self.process.stdin.close()
        try:
            self.process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()


class OutsideCase(Case):
    """Tests that share one world, which their class describes."""

    names: Mapping[str, Turns] = {}
    servers: Sequence[Server] = ()
    local: Sequence[Server] = ()
    own: Sequence[str] = ()
    hosts = ""
    world: Outside

    @classmethod
    def setUpClass(cls) -> None:
        """Start it."""
        super().setUpClass()
        folder = Path(tempfile.mkdtemp(prefix="outside-"))
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        os.chmod(folder, 0o755)
        cls.world = Outside(cls, folder, cls.names, cls.servers, cls.local, cls.own, cls.hosts)
