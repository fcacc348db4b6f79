"""How a server ends, is killed, and loses what it stands on: nothing is half done, and nothing stays."""

import contextlib
import hashlib
import http.client
import json
import os
import select
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from support.messages import message, sentence
from support.processes import children, marked
from support.run import glovebox
from support.serve import JSON, Reply, ServeCase, Server, UsersCase, form, take
from support.stored import HEAD
from support.times import DEADLINE, wait_until

LONG = {"timeout_ms": 7200000}
FLAGS = ("--max-timeout", "7200000", "--timeout", "2h")


def waits(mark: str) -> str:
    """Return a program that runs until it is ended, with a child that has a mark."""
    return f"import subprocess\nsubprocess.run(['sleep', '{mark}'])"


class LifeCase(ServeCase):
    """Tests that each have a server of their own."""

    @classmethod
    def setUpClass(cls) -> None:
        """Start none."""
        super(ServeCase, cls).setUpClass()

    def setUp(self) -> None:
        """Start one."""
        super().setUp()
        self.server = self.start_server(*FLAGS).wait_ready()  # type: ignore[misc]

    def begin(self, mark: str, path: str = "/v1/execute") -> http.client.HTTPConnection:
        """Begin a program that waits, on a connection of its own; it runs when this returns."""
        client = self.server.connection()
        self.addCleanup(client.close)
        client.request("POST", path, json.dumps({"code": waits(mark)} | LONG), JSON)
        self.assertTrue(wait_until(lambda: marked(mark), 60), "it runs")
        return client

    def begin_upload(self, length: int = 300000) -> tuple[Any, bytes]:
        """Begin an upload; return its connection and what is missing."""
        body, _ = form("half", b"y" * length)
        client = self.server.raw()
        self.addCleanup(client.close)
        client.sendall(HEAD + b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(body) + body[:-100000])
        incoming = self.server.files / "incoming"
        self.assertTrue(wait_until(lambda: list(incoming.iterdir()), 60), "it has begun")
        return client, body[-100000:]

    def assert_gone(self, marker: str) -> None:
        """Assert that a program has ended."""
        self.assertTrue(wait_until(lambda: not marked(marker), 30), "it still runs")

    def run_soon(self) -> Reply:
        """Run programs until one has: refusals in between say when to come again."""

        def runs() -> Reply | None:
            reply = self.server.post("/v1/execute", {"code": "print('again')", "timeout_ms": 30000})
            if reply.status == 200:
                return reply
            self.assertEqual(reply.status, 503, reply)
            self.assertGreater(int(reply.headers["Retry-After"]), 0)
            self.assertNotRegex(reply.detail, r"--|warm (start|stop)|glovebox", "a client has no command line")
            return None

        reply = wait_until(runs, 60)
        assert reply, self.server.said
        self.assertEqual(reply.json["stdout"], "again\n")
        return reply


class Stopped(LifeCase):
    """glovebox stop: the server drains, for as long as --drain lets it."""

    def test_stop(self) -> None:
        listed = glovebox("ps", "--json").json["running"]
        (row,) = (row for row in listed if row["pid"] == self.server.process.pid)
        self.assertEqual(row["kind"], "serve")
        self.assertIn(str(self.server.port), row["command"])
        client = self.begin("12.0431")  # kill's grace is 10 s
        self.assertEqual(glovebox("stop", row["name"]).out, f"{row['name']}\n")
        self.assertEqual(self.server.process.wait(DEADLINE), 0)
        self.assertEqual(take(client).json["exit_code"], 0)


class Killed(LifeCase):
    """SIGKILL of the server itself, and a start after it."""

    def kill(self) -> None:
        """Kill it, and wait until all that belongs to it has followed."""
        self.server.process.kill()
        self.server.end()
        self.assertTrue(wait_until(lambda: not self.server.family(), 60), self.server.family())
        self.assertEqual(list(self.server.temporary.glob("glovebox-*")), [])

    def restarted(self) -> Server:
        """Start another one with its folder."""
        server = Server(*FLAGS, folder=self.server.folder)
        self.addCleanup(server.discard, keep=True)
        return server

    def test_in_the_middle_of_everything(self) -> None:
        whole = self.uploaded("whole", b"x" * 100000)
        (output,) = self.execute("open('out', 'w').write('left'); None")["files"]
        self.begin_upload()
        self.begin("910001.25", "/v1/execute/stream")
        self.begin("910002.25")
        self.kill()
        for mark in ("910001.25", "910002.25"):
            self.assert_gone(mark)
        server = self.restarted()
        self.assertEqual({file["file_id"] for file in server.get("/v1/files").json["files"]}, {whole, output["file_id"]})
        self.assertEqual(server.get(f"/v1/files/{whole}").body, b"x" * 100000)
        self.assertEqual(server.get(f"/v1/files/{output['file_id']}").body, b"left")
        left = {place: len(os.listdir(server.files / place)) for place in ("incoming", "scratch", "files")}
        self.assertEqual(left, {"incoming": 0, "scratch": 0, "files": 2})

    def test_while_many_upload(self) -> None:
        """What was answered is there; what was not is there as a whole, or not at all."""
        told: dict[str, str] = {}

        def upload(thread: int) -> None:
            with contextlib.suppress(OSError, http.client.HTTPException):
                for number in range(10000):
                    content = b"%d %d " % (thread, number) * 3000
                    told[self.server.upload("x", content).json["file_id"]] = hashlib.sha256(content).hexdigest()

        threads = [threading.Thread(target=upload, args=(thread,)) for thread in range(3)]
        for thread in threads:
            thread.start()
        wait_until(lambda: len(told) >= 10)
        self.kill()
        for thread in threads:
            thread.join()
        server = self.restarted()
        files = {file["file_id"]: file for file in server.get("/v1/files").json["files"]}
        self.assertLessEqual(set(told), set(files))
        for id_, file in files.items():
            content = server.get(f"/v1/files/{id_}").body
            self.assertEqual(len(content), file["size_bytes"])
            self.assertEqual(content, content[: len(content) // 3000] * 3000)
            self.assertEqual(told.get(id_, hashlib.sha256(content).hexdigest()), hashlib.sha256(content).hexdigest())

    def test_a_second_server_is_told_of_its_address_before_its_files(self) -> None:
        taken = self.server.address.removeprefix("http://")
        for address, function in ((taken, "listen_bind#another"), ("0.0.0.0:0", "addresses_add"), ("x", "listen_inet#say")):
            with self.subTest(address=address):
                other = Server(folder=self.server.folder, listen=address)
                self.assertEqual((other.end(), other.address), (125, ""))
                self.assertRegex(other.said[-1], message(function, address))

    def test_two_servers_do_not_share_files(self) -> None:
        other = Server(folder=self.server.folder)
        self.assertEqual((other.end(), other.address), (125, ""))
        self.assertRegex(other.said[-1], message("file_store_lock#process"))
        self.assertEqual(self.execute("print(1)")["stdout"], "1\n")


class Below(LifeCase):
    """SIGKILL of what the server stands on."""

    def end_of(self, pid: int, *, serves_files: bool = True) -> None:
        """Kill a process: what runs ends with an error that is one, and then it works again."""
        id_ = self.uploaded("x", b"kept")
        stream, batch = self.begin("920001.25", "/v1/execute/stream"), self.begin("920002.25")
        os.kill(pid, signal.SIGKILL)
        events = stream.getresponse().read().decode()
        self.assertTrue(events.startswith("event: error\ndata: {"), events)
        self.assertTrue(events.endswith("}\n\n"), events)
        reply = take(batch)
        self.assertEqual(reply.status, 503, reply)
        self.assertGreater(int(reply.headers["Retry-After"]), 0)
        self.assertIn("has ended", reply.detail)
        self.assertEqual(self.server.get(f"/v1/files/{id_}").body, b"kept")
        self.assertEqual(self.server.get("/health").status, 200)
        self.run_soon()
        self.assertTrue(wait_until(lambda: self.server.get("/ready").status == 200), "ready again")
        for mark in ("920001.25", "920002.25"):
            self.assert_gone(mark)

    def test_supervisor(self) -> None:
        for _ in range(2):
            self.end_of(self.server.warm()["pid"])

    def test_nursery(self) -> None:
        (nursery,) = children(self.server.warm()["pid"])[:1]
        self.end_of(nursery)

    def test_supervisor_that_does_not_answer(self) -> None:
        """Those who ask how it is wait for it, a second each and at once; nobody else does."""
        supervisor = self.server.warm()["pid"]
        with contextlib.ExitStack() as stack:
            askers = [stack.enter_context(contextlib.closing(self.server.connection())) for _ in range(4)]
            os.kill(supervisor, signal.SIGSTOP)
            stack.callback(os.kill, supervisor, signal.SIGCONT)
            for asker, path in zip(askers, ("/health", "/ready") * 2):
                asker.request("GET", path)
            self.assertEqual(self.server.get("/v1/files").json, {"files": []})
            waiting, _, _ = select.select([asker.sock for asker in askers], [], [], 0)
            self.assertEqual(waiting, [], "they were answered first")
            replies = [take(asker) for asker in askers]
        self.assertEqual([reply.status for reply in replies], [200, 503, 200, 503])
        self.assertEqual({reply.json["message"] for reply in replies}, {sentence("health_warm_problem#supervisor")})
        self.assertTrue(wait_until(lambda: self.server.get("/ready").status == 200), "ready again")

    def test_watchdog(self) -> None:
        """It only looks after the supervisor, which ends with it."""
        supervisor = self.server.warm()["pid"]
        (watchdog,) = [pid for pid in self.server.family() if supervisor in children(pid)]
        self.assertEqual(Path(f"/proc/{watchdog}/comm").read_text(), "warm-watchdog\n")
        self.end_of(watchdog)


class Users(UsersCase):
    """A server that takes its cells from the supervisor that the user has already."""

    as_user = True

    def test_it_is_replaced_when_it_ends(self) -> None:
        self.assertEqual(self.execute("print(1)")["stdout"], "1\n")
        self.assertEqual(list(self.server.temporary.glob("glovebox-agent-*")), [], "there is no other")
        self.assertEqual(glovebox("warm", "stop", env=self.env).status, 0)
        body = {"code": "print(2)", "timeout_ms": 30000}
        self.assertTrue(wait_until(lambda: self.server.post("/v1/execute", body).status == 200, 60), "there is one again")
        self.assertEqual(len(list(self.server.temporary.glob("glovebox-agent-*"))), 1)


class Draining(LifeCase):
    """SIGTERM: what runs ends whole, and nobody new is let in."""

    def refuses(self) -> bool:
        """Say whether nobody can connect any more."""
        try:
            self.server.raw().close()
        except ConnectionRefusedError:
            return True
        return False

    def test_what_runs_ends_whole(self) -> None:
        large = self.uploaded("large", b"z" * (16 << 20))
        idle, asking = self.server.connection(), self.server.connection()
        for client in (idle, asking):
            client.request("GET", "/health")
            take(client)
            self.addCleanup(client.close)
        upload, missing = self.begin_upload()
        download = self.server.connection()
        self.addCleanup(download.close)
        download.request("GET", f"/v1/files/{large}")
        response = download.getresponse()
        clients = [self.server.connection() for _ in range(2)]
        code = "import time\nprint('began', flush=True)\ntime.sleep(3)\nopen('out', 'w').write('x')\nprint('y' * 500000)"
        for client, path in zip(clients, ("/v1/execute", "/v1/execute/stream"), strict=True):
            self.addCleanup(client.close)
            client.request("POST", path, json.dumps({"code": code} | LONG), JSON)
        streamed = clients[1].getresponse()
        self.assertEqual(streamed.status, 200)
        wait_until(lambda: self.server.warm()["running"] == 2)
        self.server.process.send_signal(signal.SIGTERM)
        self.assertTrue(wait_until(self.refuses, 30), "nobody new")
        asking.request("POST", "/v1/execute", json.dumps({"code": "print(1)"}), JSON)
        refused = take(asking)
        self.assertEqual((refused.status, refused.headers["Connection"]), (503, "close"), refused)
        self.assertGreater(int(refused.headers["Retry-After"]), 0)
        batch = take(clients[0])
        self.assertEqual((batch.status, batch.json["stdout"]), (200, "began\n" + "y" * 500000 + "\n"))
        self.assertEqual([file["path"] for file in batch.json["files"]], ["out"])
        events = streamed.read().decode()
        self.assertIn("event: result\n", events)
        self.assertTrue(events.endswith("}\n\n"))
        upload.sendall(missing)
        self.assertIn(b"HTTP/1.1 201 ", upload.makefile("rb").read())
        self.assertEqual(response.read(), b"z" * (16 << 20))
        self.assertEqual(self.server.end(), 0)

    def test_it_does_not_wait_for_ever(self) -> None:
        """Who still waits is told, whatever for: a run, a call of a session, a place, the rest of a stream."""
        server = self.start_server(*FLAGS, "--drain", "1s", "--max-runs", "3", "--queue", "1h").wait_ready()
        session = server.post("/v1/sessions", {}).json["session_id"]
        body = json.dumps({"code": waits("930001.25")} | LONG)
        call = json.dumps({"code": waits("930004.25")} | LONG)
        late = sentence("gate_say_ending")
        with contextlib.ExitStack() as clients:
            connect = lambda: clients.enter_context(contextlib.closing(server.connection()))  # noqa: E731
            stream, *others = [connect() for _ in range(4)]
            stream.request("POST", "/v1/execute/stream", body, JSON)
            others[0].request("POST", "/v1/execute", body, JSON)
            self.assertTrue(wait_until(lambda: len(marked("930001.25")) >= 2, 60), "both run")
            others[1].request("POST", f"/v1/sessions/{session}/python", call, JSON)
            self.assertTrue(wait_until(lambda: marked("930004.25"), 60), "it runs, too")
            others[2].request("POST", "/v1/execute", body, JSON)
            response = stream.getresponse()
            self.assertEqual(server.stop(), 0)
            self.assertEqual(response.read().decode().split("\n\n")[-2], f'event: error\ndata: {{"message":"{late}"}}')
            for client in others:
                reply = take(client)
                self.assertEqual((reply.status, reply.detail), (503, late))
                self.assertTrue(reply.headers["Retry-After"])
        self.assert_gone("930001.25")
        self.assert_gone("930004.25")

    def test_a_second_signal_ends_it(self) -> None:
        self.begin("930002.25")
        self.server.process.send_signal(signal.SIGTERM)
        self.assertTrue(wait_until(self.refuses, 30), "nobody new")
        began = time.monotonic()
        self.assertEqual(self.server.stop(), 0)
        self.assertLess(time.monotonic() - began, 25)
        self.assert_gone("930002.25")

    def test_a_request_that_was_there_first_is_answered(self) -> None:
        """The server may have accepted its connection or not."""
        for server in self.ways_of_listening():
            with self.subTest(server.address), contextlib.ExitStack() as clients:
                kept = clients.enter_context(contextlib.closing(server.connection()))
                kept.request("GET", "/health")
                take(kept)
                server.process.send_signal(signal.SIGSTOP)  # the kernel alone completes connections
                new = [clients.enter_context(contextlib.closing(server.connection())) for _ in range(40)]
                for client in (kept, *new):
                    client.request("POST", "/v1/execute", json.dumps({"code": "print(1)"} | LONG), JSON)
                server.process.send_signal(signal.SIGTERM)
                server.process.send_signal(signal.SIGCONT)
                self.assertLessEqual({take(client).status for client in (kept, *new)}, {200, 503})
                self.assertEqual(server.end(), 0)

    def ways_of_listening(self) -> Iterator[Server]:
        """Start a server for each."""
        yield self.server
        yield self.start_server(*FLAGS, listen=f"unix:{self.folder}/socket").wait_ready()

    def test_an_idle_connection_keeps_nothing(self) -> None:
        with contextlib.closing(self.server.connection()) as client:
            client.request("GET", "/health")
            take(client)
            began = time.monotonic()
            self.assertEqual(self.server.stop(), 0)
        self.assertLess(time.monotonic() - began, 25)

    def test_a_client_that_goes_on_asking_keeps_nothing(self) -> None:
        """A reply of a server that ends is the last on its connection."""
        server = self.start_server(*FLAGS, "--drain", "1h").wait_ready()
        with contextlib.closing(server.connection()) as client:

            def is_closed() -> bool:
                try:
                    client.request("GET", "/health")
                    return take(client).headers["Connection"] == "close"
                except (OSError, http.client.HTTPException):
                    return True

            self.assertFalse(is_closed())
            server.process.send_signal(signal.SIGTERM)
            self.assertTrue(wait_until(is_closed, 30))
            self.assertEqual(server.end(), 0)
