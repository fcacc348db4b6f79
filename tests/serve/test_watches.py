"""The kernel has no room for another watch of epoll(7): whoever is of the server's user can use them up."""

import contextlib
import socket
import sys
import threading
from pathlib import Path

from support.serve import JSON, Server, ServeCase, take

ALONE = Path(__file__).resolve().with_name("no_watches.py")


class NoRoom(ServeCase):
    """It polls what the kernel does not watch, from its first connection on."""

    as_user = True

    @classmethod
    def setUpClass(cls) -> None:
        """Start it with a filter."""
        super(ServeCase, cls).setUpClass()
        cls.server = Server("--max-connections", "40", below=(sys.executable, str(ALONE)))
        cls.addClassCleanup(cls.server.discard)
        cls.server.wait_ready()

    def test_programs_run(self) -> None:
        """With their output as it comes, their files, and a deadline."""
        code = "print(open('in.txt').read()); open('out.txt', 'w').write('left'); None"
        files = [{"path": "in.txt", "file_id": self.uploaded("in.txt", b"given")}]
        reply = self.execute(code, files=files)
        self.assertEqual(reply["stdout"], "given\n", reply)
        self.assertEqual([file["path"] for file in reply["files"]], ["out.txt"])
        late = self.execute("while True: pass", timeout_ms=1000)
        self.assertTrue(late["timed_out"], late)
        with self.server.stream(code="print('streamed')") as stream:
            self.assertEqual(stream.text("stdout"), "streamed\n")

    def test_sessions_live(self) -> None:
        made = self.server.post("/v1/sessions", {})
        self.assertEqual(made.status, 201, made.body)
        path = f"/v1/sessions/{made.json['session_id']}"
        self.server.post(f"{path}/python", {"code": "x = 6"})
        self.assertEqual(self.server.post(f"{path}/python", {"code": "x * 7"}).json["value"]["text/plain"], "42")
        self.assertEqual(self.server.delete(path).status, 204)

    def test_many_at_once(self) -> None:
        """More connections than one look asks for, and each goes on after its first reply."""
        statuses: list[int] = []

        def ask() -> None:
            with contextlib.closing(self.server.connection()) as client:
                for _ in range(3):
                    client.request("POST", "/v1/execute", b'{"code": "print(1)"}', JSON)
                    statuses.append(take(client).status)

        askers = [threading.Thread(target=ask) for _ in range(12)]
        for asker in askers:
            asker.start()
        for asker in askers:
            asker.join()
        self.assertEqual(statuses, [200] * 36)

    def test_a_client_that_leaves_is_seen(self) -> None:
        """Its program ends; the server has room for those that come after it."""
        for _ in range(6):
            leaving = [self.server.raw() for _ in range(10)]
            for client in leaving:
                client.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
                self.assertIn(b"200", client.recv(100))
            for client in leaving:
                client.shutdown(socket.SHUT_RDWR)
                client.close()
        self.assertEqual(self.server.get("/health").status, 200)
