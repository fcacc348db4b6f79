"""/v1/executions: what runs for a key, and what ran last."""

import contextlib
import threading
from typing import Any

from support.serve import ServeCase, Server, add_key
from support.times import wait_until

WAITS = "import time; print(1, flush=True); time.sleep(3600)"


class Executions(ServeCase):
    """A list of each key's own."""

    flags = ("--max-runs", "1", "--queue", "50s")

    def listed(self, server: Server | None = None, **headers: str) -> dict[str, Any]:
        """Return both lists."""
        reply = (server or self.server).get("/v1/executions", **headers)
        self.assertEqual(reply.status, 200, reply)
        return reply.json

    def test_what_ran(self) -> None:
        server = self.start_server().wait_ready()
        self.assertEqual(self.listed(server), {"running": [], "recent": []})
        server.post("/v1/execute", {"code": "raise SystemExit(3)"}, X_Request_ID="first")
        server.post("/v1/execute", {"code": 1})
        session = server.post("/v1/sessions", {}, X_Request_ID="second").json["session_id"]
        server.post(f"/v1/sessions/{session}/bash", {"cmd": "sleep 100", "timeout_ms": 300}, X_Request_ID="third")
        third, second, first = self.listed(server)["recent"]
        self.assertEqual((first["request_id"], first["operation"], first["session_id"], first["verdict"], first["exit_code"], first["error"]),
                         ("first", "execute", None, "exited", 3, None))  # fmt: skip
        self.assertEqual((second["request_id"], second["operation"], second["session_id"], second["verdict"], second["error"]),
                         ("second", "session_create", session, None, None))  # fmt: skip
        self.assertEqual((third["request_id"], third["operation"], third["session_id"], third["verdict"]), ("third", "session_bash", session, "wall_time"))
        self.assertGreaterEqual(third["duration_ms"], 300)
        self.assertRegex(third["time"], r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\Z")

    def test_what_runs_and_what_waits(self) -> None:
        with self.server.stream(code=WAITS, timeout_ms=50000) as stream:
            next(iter(stream))
            waiter = threading.Thread(target=self.server.post, args=("/v1/execute", {"code": "1"}))
            waiter.start()
            self.assertTrue(wait_until(lambda: len(self.listed()["running"]) == 2))
            waiting, running = self.listed()["running"]
            self.assertEqual([(one["operation"], one["waiting"]) for one in (waiting, running)], [("execute", True), ("execute_stream", False)])
            self.assertGreaterEqual(running["age_ms"], waiting["age_ms"])
            stream._response.close()  # noqa: SLF001
        waiter.join()
        self.assertTrue(wait_until(lambda: not self.listed()["running"]))
        self.assertEqual([one["verdict"] for one in self.listed()["recent"][:2]], ["exited", "cancelled"])

    def test_so_many_are_remembered(self) -> None:
        for number in range(35):
            self.server.post("/v1/execute", {"code": "1"}, X_Request_ID=f"run-{number}")
        self.assertEqual([one["request_id"] for one in self.listed()["recent"]], [f"run-{number}" for number in range(34, 2, -1)])

    def test_those_of_a_key(self) -> None:
        keys = self.folder / "keys.json"
        alice, bob = ({"Authorization": f"Bearer {add_key(keys, name)}"} for name in ("alice", "bob"))
        server = self.start_server("--keys", str(keys)).wait_ready()
        server.post("/v1/execute", {"code": "1"}, **alice)
        with contextlib.closing(server.connection()) as client:
            client.request("POST", "/v1/execute", '{"code": "import time; time.sleep(20)", "timeout_ms": 30000}', {"Content-Type": "application/json"} | alice)
            self.assertTrue(wait_until(lambda: self.listed(server, **alice)["running"]))
            self.assertEqual(self.listed(server, **bob), {"running": [], "recent": []})
            self.assertEqual(len(self.listed(server, **alice)["recent"]), 1)
        self.assertEqual(server.get("/v1/executions").status, 401)
