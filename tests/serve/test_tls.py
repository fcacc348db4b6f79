"""TLS by files: the protocol's tests again behind it, handshakes that stop, and certificates that change."""

import contextlib
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any, ClassVar

import test_http
import test_slow
from support.messages import message, named
from support.processes import marked
from support.run import glovebox
from support.serve import AS_ROOT, JSON, ServeCase, Server, certificate
from support.times import wait_until

HAS_OPENSSL = shutil.which("openssl")
# Where the lengths of a record stand: nobody sends more than 2^14 + 256 bytes in one.
HALF_RECORD = b"\x16\x03\x01\x40\x00\x01"


@unittest.skipUnless(HAS_OPENSSL, "cannot: there is no openssl")
class TlsCase(ServeCase):
    """Tests of a server with a certificate of the test's own."""

    place: ClassVar[Path]

    @classmethod
    def setUpClass(cls) -> None:
        """Make the certificate, and start the server."""
        super(ServeCase, cls).setUpClass()
        cls.place = Path(tempfile.mkdtemp(prefix="tls-"))
        cls.addClassCleanup(shutil.rmtree, cls.place)
        cert, key = certificate(cls.place)
        cls.server = Server("--tls-cert", str(cert), "--tls-key", str(key), *cls.flags)
        cls.addClassCleanup(cls.server.discard)
        cls.server.trust.load_verify_locations(cert)
        cls.server.wait_ready()

    def plain(self) -> socket.socket:
        """Return a connection without TLS; it is closed with the test."""
        client = socket.create_connection(("127.0.0.1", self.server.port), timeout=60)
        self.addCleanup(client.close)
        return client

    def shown(self) -> bytes:
        """Return the certificate that a new connection gets."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with context.wrap_socket(self.plain()) as client:
            got = client.getpeercert(binary_form=True)
        assert got
        return got


def der(path: Path) -> bytes:
    """Return the certificate in a file as it is sent."""
    return ssl.PEM_cert_to_DER_cert(path.read_text())


class Served(TlsCase):
    """What a server does, over TLS."""

    flags = ("--header-timeout", "5s")

    def test_it_says_so(self) -> None:
        self.assertRegex(self.server.address, r"^https://127\.0\.0\.1:\d+$")

    def test_a_run_a_stream_and_files(self) -> None:
        self.assertEqual(self.execute("6 * 7")["stdout"], "42\n")
        with self.server.stream(code="import time\nfor n in range(4): print(n, flush=True); time.sleep(0.2)", timeout_ms=30000) as stream:
            self.assertEqual(stream.text("stdout"), "0\n1\n2\n3\n")
        content = os.urandom(5 << 20)
        id_ = self.uploaded("large", content)
        self.assertEqual(self.server.get(f"/v1/files/{id_}").body, content)

    @unittest.skipUnless(shutil.which("curl"), "cannot: there is no curl")
    def test_curl(self) -> None:
        command = ["curl", "-sS", "--cacert", self.place / "tls.crt", f"{self.server.address}/v1/execute", "--json", '{"code": "6 * 7"}']
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        self.assertEqual(json.loads(done.stdout)["stdout"], "42\n")
        command[3] = os.devnull
        self.assertNotEqual(subprocess.run(command, capture_output=True, check=False).returncode, 0, "nobody vouches for it")

    def test_old_versions(self) -> None:
        for version, works in ((ssl.TLSVersion.TLSv1_1, False), (ssl.TLSVersion.TLSv1_2, True), (ssl.TLSVersion.TLSv1_3, True)):
            with self.subTest(version=version):
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
                context.load_verify_locations(self.place / "tls.crt")
                context.set_ciphers("ALL:@SECLEVEL=0")
                context.minimum_version = context.maximum_version = version
                with self.assertRaises(OSError) if not works else contextlib.nullcontext():
                    context.wrap_socket(self.plain(), server_hostname="localhost").close()

    def test_without_it_nothing_is_answered(self) -> None:
        client = self.plain()
        with contextlib.suppress(ConnectionResetError):
            client.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.assertFalse(client.makefile("rb").read().startswith(b"HTTP/"))

    def test_pages(self) -> None:
        """A page of this name is ours if it came by TLS, too."""
        run = {"code": "1", "timeout_ms": 30000}
        self.assertEqual(self.server.post("/v1/execute", run, Origin=self.server.address).status, 200)
        plain = self.server.address.replace("https", "http")
        self.assertEqual(self.server.post("/v1/execute", run, Origin=plain).status, 403)

    def test_a_client_that_leaves(self) -> None:
        """With a farewell of TLS or without one, in a body or while its program runs."""
        body = json.dumps({"code": "import subprocess; subprocess.run(['sleep', '940001.25'])", "timeout_ms": 60000}).encode()
        for is_polite in (True, False):
            with self.subTest(is_polite=is_polite):
                client = self.server.raw()
                client.sendall(test_http.post(body))
                self.assertTrue(wait_until(lambda: marked("940001.25"), 60), "it runs")
                if is_polite:
                    client.settimeout(0.5)  # who waits for the other's farewell has not left yet
                    with contextlib.suppress(OSError):
                        client.unwrap()
                client.close()
                self.assertTrue(wait_until(lambda: not marked("940001.25"), 30), "it still runs")
        client = self.server.raw()
        client.sendall(b"POST /v1/files HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=part\r\nContent-Length: 300000\r\n\r\n"
                       b'--part\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n' + b"y" * 100000)  # fmt: skip
        incoming = self.server.files / "incoming"
        self.assertTrue(wait_until(lambda: list(incoming.iterdir()), 60), "it has begun")
        client.close()
        self.assertTrue(wait_until(lambda: not list(incoming.iterdir()), 30), "it was given up")


class Handshakes(TlsCase):
    """Those that stop, or are none."""

    flags = ("--header-timeout", "2s", "--stall-timeout", "60s")

    def test_one_that_stands_still_ends_by_the_clock_of_headers(self) -> None:
        for said in (b"", b"\x16", HALF_RECORD):
            with self.subTest(said=said):
                client = self.plain()
                client.sendall(said)
                with contextlib.suppress(ConnectionResetError):
                    self.assertEqual(client.recv(1000), b"")

    def test_one_that_drips_does_too(self) -> None:
        client = self.plain()
        client.sendall(HALF_RECORD)
        client.settimeout(0.05)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            for _ in range(1000):
                client.sendall(b"\0")
                with contextlib.suppress(TimeoutError):
                    if not client.recv(1000):
                        return
            self.fail("the connection is still open")

    def test_headers_that_drip_behind_it(self) -> None:
        with contextlib.closing(self.server.raw()) as client:
            client.sendall(b"GET /health HTTP/1.1\r\nX: ")
            with contextlib.suppress(OSError):
                for _ in range(1000):
                    client.sendall(b"x")
                    time.sleep(0.05)
                self.fail("the connection is still open")

    def test_halves_hold_nobody_up(self) -> None:
        with contextlib.ExitStack() as clients:
            for said in (b"", b"\x16", HALF_RECORD, b"GET / HTTP/1.1\r\n\r\n", b"\xff" * 1000) * 40:
                client = clients.enter_context(contextlib.closing(self.plain()))
                with contextlib.suppress(OSError):
                    client.sendall(said)
            self.assertEqual(self.execute("print(1)")["stdout"], "1\n")
        self.assertEqual(self.server.get("/health").status, 200)


class Bodies(TlsCase, test_http.Bodies):
    """Lengths again: what is read is what was decrypted."""


class Broken(TlsCase, test_http.Broken):
    """Headers again: the gaps between them are looked for where they were decrypted."""


class Slow(TlsCase, test_slow.Slow):
    """Clients that take their time, again."""


class Reload(TlsCase):
    """SIGHUP: the certificate that new connections get."""

    def test_a_new_one(self) -> None:
        """Who is connected stays so."""
        with contextlib.closing(self.server.connection()) as client:
            client.request("GET", "/health")
            client.getresponse().read()
            old = der(self.place / "tls.crt")
            self.assertEqual(self.shown(), old)
            certificate(self.place, "new")
            for ending in (".crt", ".key"):
                (self.place / f"new{ending}").replace(self.place / f"tls{ending}")
            self.assertEqual(self.shown(), old)
            new = der(self.place / "tls.crt")
            self.server.process.send_signal(signal.SIGHUP)
            self.assertTrue(wait_until(lambda: self.shown() == new, 30), "it is the new one")
            client.request("POST", "/v1/execute", json.dumps({"code": "6 * 7", "timeout_ms": 30000}), JSON)
            self.assertEqual(json.loads(client.getresponse().read())["stdout"], "42\n")
        said = len(self.server.said)
        (self.place / "tls.key").write_text("none")
        self.server.process.send_signal(signal.SIGHUP)
        self.assertTrue(wait_until(lambda: any("tls.key" in line for line in self.server.said[said:]), 30), self.server.said)
        self.assertEqual(self.shown(), new)


@unittest.skipUnless(HAS_OPENSSL, "cannot: there is no openssl")
class Refused(ServeCase):
    """Files that are none, and flags that do not fit, in one line."""

    as_user = True

    @classmethod
    def setUpClass(cls) -> None:
        """Start none."""
        super(ServeCase, cls).setUpClass()

    def refused(self, *flags: Any) -> str:
        """Return the line."""
        given = ["--image", "host", "--listen", "127.0.0.1:0", "--files", self.folder / "files", *AS_ROOT, *flags]
        result = glovebox("serve", *given, timeout=60)
        self.assertEqual((result.status, len(result.err.splitlines())), (125, 1), result)
        return result.err

    def test_what_is_wrong(self) -> None:
        cert, key = certificate(self.folder)
        other_cert, other_key = certificate(self.folder, "other")
        locked = self.folder / "locked.key"
        subprocess.run(["openssl", "ec", "-in", key, "-aes128", "-passout", "pass:x", "-out", locked], check=True, capture_output=True)
        locked.chmod(0o600)
        nothing, missing = self.file("nothing"), self.folder / "missing"
        table = (
            ((cert, None), "--tls-key"), ((None, key), "--tls-cert"), ((missing, key), str(missing)), ((cert, missing), str(missing)),
            ((nothing, key), str(nothing)), ((cert, nothing), str(nothing)), ((key, key), str(key)), ((cert, cert), str(cert)),
            ((cert, other_key), message("tls_join#not the key", f"{other_key}: ")), ((other_cert, key), str(key)), ((cert, locked), str(locked)),
        )  # fmt: skip
        for given, said in table:
            with self.subTest(given=given):
                for path in (nothing, cert):
                    path.chmod(0o600)
                flags = [word for flag, path in zip(("--tls-cert", "--tls-key"), given) if path for word in (flag, path)]
                self.assertRegex(self.refused(*flags), named(said))

    def test_a_key_that_others_can_read(self) -> None:
        cert, key = certificate(self.folder)
        for mode in (0o604, 0o640, 0o622, 0o660):
            key.chmod(mode)
            self.assertRegex(self.refused("--tls-cert", cert, "--tls-key", key), message("document_judge#must", key))
        key.chmod(0o600)
        cert.chmod(0o666)
        self.assertIn(f"{cert} must be yours", self.refused("--tls-cert", cert, "--tls-key", key))
