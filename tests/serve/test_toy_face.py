"""A face with two routes stands on web/ and service/ alone (unit/toy_face.c)."""

import http.client
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path

from support.run import GLOVEBOX
from support.supervisor import Supervisor
from support.times import DEADLINE, wait_until

PROGRAM = Path(GLOVEBOX).resolve().parents[1] / "unit/toy_face"


class Toy(unittest.TestCase):
    """It has no keys, and refuses in a form of its own."""

    def setUp(self) -> None:
        """Start a supervisor and the face."""
        place = tempfile.TemporaryDirectory(prefix="toy-")
        self.addCleanup(place.cleanup)
        self.socket = f"{place.name}/s"
        self.supervisor = Supervisor()
        self.addCleanup(self.supervisor.stop)
        command = [PROGRAM, f"unix:{self.socket}"]
        self.face = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self.supervisor.env(), text=True)
        self.addCleanup(self.end)
        self.assertIn(self.socket, self.face.stdout.readline())

    def end(self) -> None:
        """End the face."""
        self.face.stdin.close()
        self.assertEqual(self.face.wait(DEADLINE), 0)
        self.face.stdout.close()

    def ask(self, method: str, path: str, body: str = "") -> tuple[int, str, str]:
        """Return status, type and body of a reply."""
        client = http.client.HTTPConnection("localhost", timeout=DEADLINE)
        client.sock = socket.socket(socket.AF_UNIX)
        client.sock.connect(self.socket)
        client.request(method, path, body.encode())
        reply = client.getresponse()
        text = reply.read().decode()
        client.close()
        return reply.status, reply.headers["Content-Type"], text

    def test_routes_and_refusals(self) -> None:
        self.assertEqual(self.ask("GET", "/hello"), (200, "text/plain", "hello\n"))
        self.assertEqual(self.ask("POST", "/run", "print(6 * 7)"), (200, "text/plain", "42\n"))
        self.assertIn("ZeroDivisionError", self.ask("POST", "/run", "1 / 0")[2])
        self.assertEqual(self.ask("GET", "/nowhere"), (404, "text/plain", "no: Not Found\n"))
        self.assertEqual(self.ask("PUT", "/hello"), (405, "text/plain", "no: Method Not Allowed\n"))
        self.assertEqual(self.ask("POST", "/run", "#" * 100000)[0], 413)

    def test_client_that_leaves_and_a_face_that_ends(self) -> None:
        client = socket.socket(socket.AF_UNIX)
        client.connect(self.socket)
        client.sendall(b"POST /run HTTP/1.1\r\nHost: localhost\r\nContent-Length: 16\r\n\r\nwhile True: pass")
        self.assertTrue(wait_until(lambda: self.supervisor.status()["running"]))
        client.close()
        self.assertTrue(wait_until(lambda: not self.supervisor.status()["running"]))
        self.assertEqual(self.ask("POST", "/run", "print(1)")[2], "1\n")
        self.supervisor.stop()
        status, kind, text = self.ask("POST", "/run", "print(1)")
        self.assertEqual((status, kind, text[:4]), (503, "text/plain", "no: "))


if __name__ == "__main__":
    unittest.main()
