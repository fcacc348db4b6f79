"""More clients than there is room for: refusals in order, and as before when they have gone."""

import contextlib
import json
import resource
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from support.processes import descriptors
from support.serve import JSON, Reply, ServeCase, take
from support.stored import kept
from support.times import wait_until

RUN = {"code": "open('a', 'w').write('1'); import time; time.sleep(0.2)", "timeout_ms": 30000}


class Connections(ServeCase):
    """More connections than there may be."""

    flags = ("--max-connections", "10")

    def test_silent_ones_make_room(self) -> None:
        """Who says nothing makes room for who asks: in a second, not when the time for headers is over."""
        for _ in range(2):
            with contextlib.ExitStack() as clients:
                for _ in range(30):
                    clients.enter_context(contextlib.closing(self.server.raw()))
                began = time.monotonic()
                self.assertEqual(self.execute("print(1)")["stdout"], "1\n")
                self.assertLess(time.monotonic() - began, 15)  # of 20 s that headers may take
            self.assertEqual(self.server.get("/health").status, 200)

    def test_those_who_ask_keep_their_places(self) -> None:
        """As many as there may be, all at once and again and again, are not taken for silent ones."""

        def ask_often(_: int) -> set[int]:
            with contextlib.closing(self.server.connection()) as client:
                said = set()
                for _ in range(50):
                    client.request("GET", "/health")
                    said.add(take(client).status)
                return said

        with ThreadPoolExecutor(10) as pool:
            self.assertEqual(set().union(*pool.map(ask_often, range(20))), {200})

    def test_others_wait_for_those_who_work(self) -> None:
        """Bodies that come keep their places; then everybody comes in, though those keep their connections."""
        head = b"POST /v1/execute HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n{}"
        with contextlib.ExitStack() as clients:
            working = [clients.enter_context(contextlib.closing(self.server.raw())) for _ in range(10)]
            for client in working:
                client.sendall(head)
                self.assertIn(b" 100 ", client.recv(1000))  # so its headers are there
            late = clients.enter_context(contextlib.closing(self.server.raw()))
            late.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            time.sleep(1.5)  # longer than one may be idle
            began = time.monotonic()
            for client in working:
                client.sendall(b"   ")
                self.assertIn(b" 422 ", client.recv(1000))
            self.assertIn(b" 200 ", late.recv(1000))
            self.assertLess(time.monotonic() - began, 15)


class Idle(ServeCase):
    """Connections on which nobody says anything."""

    def test_they_leave_room_for_runs(self) -> None:
        server = self.start_server(below=("prlimit", "--nofile=100:400")).wait_ready()
        with contextlib.closing(server.connection()) as client, contextlib.ExitStack() as clients:
            client.request("GET", "/health")
            take(client)
            for _ in range(500):
                clients.enter_context(contextlib.closing(server.raw()))
            self.assertTrue(wait_until(lambda: descriptors(server.process.pid) >= 200, 30), "they are there")
            client.request("POST", "/v1/execute", json.dumps(RUN), JSON)
            reply = take(client)
        self.assertEqual((reply.status, len(reply.json.get("files", []))), (200, 1), reply)


class Load(ServeCase):
    """More runs than there are cells that wait."""

    def test_it_stays_ready(self) -> None:
        """Who balances the load must not take it for one that is broken."""
        with ThreadPoolExecutor(12) as pool:
            runs = [pool.submit(self.server.post, "/v1/execute", RUN) for _ in range(36)]
            said = set()
            while not all(run.done() for run in runs):
                said.add((self.server.get("/ready").status, self.server.get("/health").json["message"]))
        self.assertEqual(said, {(200, None)})
        self.assertLessEqual({run.result().status for run in runs}, {200, 503})  # the latter on a slow machine


class Waiting(ServeCase):
    """Runs that wait for a place."""

    flags = ("--max-runs", "1", "--queue", "60s")

    def test_they_hold_no_files(self) -> None:
        """Those that the run wants, and the room for what it leaves, are opened when it has its place."""
        ids = [self.uploaded("x", b"%d" % number) for number in range(10)]
        files = [{"path": f"f{number}", "file_id": id_} for number, id_ in enumerate(ids)]
        before = descriptors(self.server.process.pid)
        with ThreadPoolExecutor(13) as pool:
            first = pool.submit(self.execute, "import time; time.sleep(2)", timeout_ms=60000)
            wait = [pool.submit(self.server.post, "/v1/execute", {"code": "1", "files": files}) for _ in range(12)]
            self.assertTrue(wait_until(lambda: descriptors(self.server.process.pid) - before >= 13, 30), "they are there")
            most = 0
            while not first.done():
                most = max(most, descriptors(self.server.process.pid) - before)
        self.assertEqual({reply.result().status for reply in wait}, {200})
        self.assertLess(most, 80)


class Descriptors(ServeCase):
    """A server that may have few descriptors."""

    def test_they_run_out(self) -> None:
        server = self.start_server().wait_ready()
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (64, 64))

        def all_at_once(ask: Callable[[int], Reply], *statuses: int, count: int = 100) -> list[Reply]:
            with ThreadPoolExecutor(60) as pool:
                replies = list(pool.map(ask, range(count)))
            self.assertLessEqual({reply.status for reply in replies}, {*statuses, 503})
            self.assertTrue(all(reply.headers["Retry-After"] for reply in replies if reply.status == 503))
            return [reply for reply in replies if reply.status < 300]

        stored = all_at_once(lambda number: server.upload("x", b"%d" % number * 100000), 201)
        self.assertTrue(stored)
        files = server.get("/v1/files").json["files"]
        self.assertEqual({file["file_id"] for file in files}, {reply.json["file_id"] for reply in stored})
        self.assertEqual((kept(server)["incoming"], kept(server)["files"]), (0, len(stored)))
        id_ = files[0]["file_id"]
        for reply in all_at_once(lambda _: server.get(f"/v1/files/{id_}"), 200):
            self.assertEqual(len(reply.body), files[0]["size_bytes"])
        all_at_once(lambda _: server.post("/v1/execute", RUN), 200, 429, count=30)
        with contextlib.ExitStack() as clients:
            for _ in range(100):
                clients.enter_context(contextlib.closing(server.raw()))
            self.assertTrue(wait_until(lambda: descriptors(server.process.pid) >= 60, 30), "there is none left")
        self.assertEqual(server.get("/health").status, 200)
        self.assertTrue(wait_until(lambda: server.post("/v1/execute", RUN).status == 200, 60), "it runs programs again")
        # What a run had is let go of behind its reply.
        self.assertTrue(wait_until(lambda: kept(server)["scratch"] == 0, 30), "its scratch directory stays")
