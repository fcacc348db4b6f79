"""E2B's client of version 1, which knows its sandboxes by host names alone (make check-clients)."""

import os
import shutil
import tempfile
from pathlib import Path
from typing import ClassVar
from unittest import mock

from support.e2b_client import ClientCase
from support.faces import face_of
from support.serve import certificate

DOMAIN = "e2b.test"
# Its names lead to this machine, as those of a resolver of one's own would; its sandboxes end with it.
PRELUDE = """
import atexit, json, socket

real = socket.getaddrinfo
socket.getaddrinfo = lambda host, *more, **named: real("127.0.0.1" if str(host).endswith("e2b.test") else host, *more, **named)

from e2b_code_interpreter import Sandbox

made = []
atexit.register(lambda: [sandbox.kill() for sandbox in made])

def make(**options):
    made.append(Sandbox(**options))
    return made[-1]

def say(*things):
    print(json.dumps(things))

def why(call, *given):
    try:
        return ["no error", repr(call(*given))]
    except Exception as error:
        return type(error).__name__
"""


class Old(ClientCase):
    """By names of hosts, over TLS."""

    environment = "newer/e2b_old"
    prelude = PRELUDE
    cert: ClassVar[Path]

    @classmethod
    def more_flags(cls) -> tuple[str, ...]:
        """A certificate for all names below a domain."""
        folder = Path(tempfile.mkdtemp(prefix="certificate-"))
        cls.addClassCleanup(shutil.rmtree, folder)
        cls.cert, key = certificate(folder, names=f"DNS:*.{DOMAIN},IP:127.0.0.1")
        cls.enterClassContext(mock.patch.dict(os.environ, SSL_CERT_FILE=str(cls.cert)))  # whom the test's own requests trust
        return ("--tls-cert", str(cls.cert), "--tls-key", str(key), "--allow-host", f".{DOMAIN}")

    def env(self) -> dict[str, str]:
        """A key, and the domain with its port."""
        port = face_of(self.server, "e2b").rpartition(":")[2]
        return {**super().env(), "E2B_DOMAIN": f"{DOMAIN}:{port}", "SSL_CERT_FILE": str(self.cert)}

    def test_all_of_it(self) -> None:
        self.says(
            """
            sandbox = make(metadata={"a": "b"})
            sandbox.run_code("x = 41")
            say(sandbox.run_code("x + 1").text, sandbox.commands.run("echo hé; pwd").stdout)
            sandbox.files.write("a.txt", "hällo")
            say(sandbox.files.read("a.txt"), [entry.name for entry in sandbox.files.list("/home/user")])
            say(sandbox.is_running(), [found.sandbox_id for found in Sandbox.list()] == [sandbox.sandbox_id])
            say(sandbox.run_code("print('x' in globals())", context=sandbox.create_code_context()).logs.stdout)
            say(Sandbox.connect(sandbox.sandbox_id).run_code("x").text)
            say(make(secure=True).run_code("1 + 1").text)
            made.remove(sandbox)
            sandbox.kill()
            say(sandbox.is_running(), why(sandbox.run_code, "1"))
            """,
            ["42", "hé\n/home/user\n"],
            ["hällo", ["a.txt"]],
            [True, True],
            [["False\n"]],
            ["41"],
            ["2"],
            [False, "TimeoutException"],
        )
