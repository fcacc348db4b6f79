"""/v1/sessions: calls that are interrupted, whose output comes as it is written, and how long all that lives."""

import contextlib
import json
import threading
import time
from typing import Any

from support.messages import sentence
from support.processes import marked
from support.serve import JSON, Reply, take
from support.serve_sessions import INVENTED, SessionCase
from support.times import wait_until

BUSY = "import os\nos.write(1, b'began\\n')\nwhile True: pass"


class Interrupt(SessionCase):
    """An end to a call from elsewhere."""

    def running(self, session: str, kind: str, body: dict[str, Any]) -> list[Reply]:
        """Begin a call on another connection; return where its reply will be."""
        replies: list[Reply] = []
        thread = threading.Thread(target=lambda: replies.append(self.server.post(f"{session}/{kind}", body)))
        thread.start()
        self.addCleanup(thread.join)
        return replies

    def interrupt(self, session: str) -> None:
        """Interrupt what runs, as soon as it does."""
        self.assertTrue(wait_until(lambda: self.server.post(session + "/interrupt", {}).status == 204))

    def test_python(self) -> None:
        session = self.begin()
        self.python(session, "x = 6")
        replies = self.running(session, "python", {"code": BUSY, "timeout_ms": 60000})
        self.interrupt(session)
        self.assertTrue(wait_until(lambda: replies))
        (reply,) = replies
        self.assertEqual((reply.status, reply.json["verdict"], reply.json["lost"], reply.json["timed_out"]), (200, "cancelled", False, False), reply)
        self.assertEqual(self.python(session, "x * 7")["value"], {"text/plain": "42"})

    def test_bash(self) -> None:
        session = self.begin()
        replies = self.running(session, "bash", {"cmd": "sleep 1000", "timeout_ms": 60000})
        self.interrupt(session)
        self.assertTrue(wait_until(lambda: replies))
        self.assertEqual((replies[0].status, replies[0].json["verdict"]), (200, "cancelled"), replies[0])
        self.assertEqual(self.bash(session, "echo on")["stdout"], "on\n")

    def test_code_may_handle_it_and_is_asked_once(self) -> None:
        session = self.begin()
        code = "import subprocess, time\nn = 0\nwhile not n:\n    try: subprocess.run(['sleep', '930006.25'])\n    except KeyboardInterrupt: n += 1\nfor _ in range(10): time.sleep(0.1)\nn"
        replies = self.running(session, "python", {"code": code, "timeout_ms": 60000})
        self.assertTrue(wait_until(lambda: marked("930006.25")), "the code is where it handles an interrupt")
        self.interrupt(session)
        while not replies:
            self.assertIn(self.server.post(session + "/interrupt", {}).status, (204, 409))
        self.assertEqual((replies[0].json["value"], replies[0].json["lost"]), ({"text/plain": "1"}, False), replies[0])

    def test_code_that_goes_on_is_lost(self) -> None:
        session = self.begin()
        code = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass"
        lost = False
        while not lost:  # until it comes to its second line before it is interrupted
            replies = self.running(session, "python", {"code": code, "timeout_ms": 60000})
            self.assertTrue(wait_until(lambda: self.server.post(session + "/interrupt", {}).status == 404 or replies))
            self.assertTrue(wait_until(lambda: replies))
            lost = replies[0].json["lost"]
            self.assertTrue(lost or replies[0].json["error"]["name"] == "KeyboardInterrupt", replies[0])
        self.is_not_there(self.server.post(session + "/interrupt", {}), session)

    def test_where_nothing_runs(self) -> None:
        session = self.begin()
        name = session.removeprefix("/v1/sessions/")
        reply = self.server.post(session + "/interrupt", {})
        self.assertEqual((reply.status, reply.detail), (409, sentence("session_calls_answer_idle", name)))
        self.is_not_there(self.server.post(f"/v1/sessions/{INVENTED}/interrupt", {}), f"/v1/sessions/{INVENTED}")
        self.server.delete(session)
        self.is_not_there(self.server.post(session + "/interrupt", {}), session)

    def test_another_session_goes_on(self) -> None:
        session, other = self.begin(), self.begin()
        replies = self.running(session, "python", {"code": "import time; time.sleep(2); 42", "timeout_ms": 60000})
        self.assertTrue(wait_until(lambda: any(s["busy"] for s in self.server.get("/v1/sessions").json["sessions"])))
        self.assertEqual(self.server.post(other + "/interrupt", {}).status, 409)
        self.assertTrue(wait_until(lambda: replies))
        self.assertEqual(replies[0].json["value"], {"text/plain": "42"})


class Stream(SessionCase):
    """Output as it comes."""

    flags = ("--max-runs", "2", "--queue", "0s")

    def test_output_and_result(self) -> None:
        session = self.begin()
        code = "import sys\nprint('out')\nprint('err', file=sys.stderr)\ndisplay('shown')\nx = 6\nx * 7"
        with self.server.stream(session + "/python/stream", code=code) as stream:
            self.assertEqual((stream.status, stream.headers["Content-Type"]), (200, "text/event-stream; charset=utf-8"))
            *outputs, (kind, result) = list(stream)
        self.assertEqual((kind, result["exit_code"], result["value"], result["lost"]), ("result", 0, {"text/plain": "42"}, False))
        self.assertEqual(result["displays"][0]["text/plain"], "'shown'")
        self.assertEqual(result.keys() & {"stdout", "stderr"}, set())
        self.assertEqual([(kind, data) for kind, data in outputs if kind != "output"], [("display", {"index": 0})])
        outputs = [(kind, data) for kind, data in outputs if kind == "output"]
        for name, text in (("stdout", "out\n"), ("stderr", "err\n")):
            self.assertEqual("".join(data["data"] for _, data in outputs if data["stream"] == name), text)
        self.assertEqual(self.python(session, "x")["value"], {"text/plain": "6"})

    def test_displays_stand_between_the_prints(self) -> None:
        session = self.begin()
        code = "print('a', end=''); display(1); print('b'); display(2)"
        with self.server.stream(session + "/python/stream", code=code) as stream:
            *events, _ = list(stream)
        pieces = "".join(data["data"] if kind == "output" else f"[{data['index']}]" for kind, data in events)
        self.assertEqual(pieces, "a[0]b\n[1]")
        reply = self.python(session, code)
        self.assertEqual((reply["stdout"], reply["displays_at"], len(reply["displays"])), ("ab\n", [1, 3], 2))

    def test_it_comes_as_it_is_written(self) -> None:
        session = self.begin()
        with self.server.stream(session + "/python/stream", code=BUSY, timeout_ms=60000) as stream:
            self.assertEqual(next(iter(stream)), ("output", {"stream": "stdout", "data": "began\n"}))
            self.assertEqual(self.server.post(session + "/interrupt", {}).status, 204)
            (kind, result) = list(stream)[-1]
        self.assertEqual((kind, result["verdict"], result["error"]["name"]), ("result", "cancelled", "KeyboardInterrupt"))

    def test_silence_has_a_heartbeat(self) -> None:
        session = self.begin()
        for path in (session + "/python/stream", "/v1/execute/stream"):
            with self.subTest(path=path), self.server.stream(path, code="import time; time.sleep(6)", timeout_ms=60000) as stream:
                self.assertEqual(list(stream)[-1][0], "result")
                self.assertGreaterEqual(stream.heartbeats, 1)

    def test_a_client_that_leaves_ends_its_call(self) -> None:
        session = self.begin()
        with self.server.stream(session + "/python/stream", code=BUSY, timeout_ms=60000) as stream:
            next(iter(stream))
            stream._response.close()  # noqa: SLF001
        self.assertEqual(self.python(session, "6 * 7", timeout_ms=20000)["value"], {"text/plain": "42"})

    def test_errors_before_the_stream_are_json(self) -> None:
        session = self.begin()
        for status, body in ((422, {}), (422, {"code": "1", "timeout_ms": 10**7}), (422, {"code": "1", "timeout_ms": 0})):
            reply = self.server.post(session + "/python/stream", body)
            self.assertEqual((reply.status, reply.headers["Content-Type"]), (status, "application/json"))
        self.is_not_there(self.server.post(f"/v1/sessions/{INVENTED}/python/stream", {"code": "1"}), f"/v1/sessions/{INVENTED}")
        with self.server.stream(session + "/python/stream", code=BUSY, timeout_ms=60000) as stream:
            next(iter(stream))
            self.assertEqual(self.server.post(session + "/python/stream", {"code": "1", "timeout_ms": 100}).status, 409)
            with self.server.stream(code="import time; print(1, flush=True); time.sleep(60)", timeout_ms=60000) as other:
                next(iter(other))
                self.assertEqual(self.server.post(session + "/python/stream", {"code": "1"}).status, 429)
        self.server.delete(session)
        # What clients have left takes its place until it has ended.
        self.assertTrue(wait_until(lambda: self.server.post(session + "/python/stream", {"code": "1"}).status != 429))
        self.is_not_there(self.server.post(session + "/python/stream", {"code": "1"}), session)

    def test_what_takes_its_session_with_it(self) -> None:
        session = self.begin()
        with self.server.stream(session + "/python/stream", code="import os; os._exit(3)") as stream:
            (kind, result) = list(stream)[-1]
        self.assertEqual((kind, result["exit_code"], result["lost"]), ("result", 3, True))
        self.assertTrue(result["lost_because"])

    def test_connection_lives_on(self) -> None:
        session = self.begin()
        with contextlib.closing(self.server.connection()) as client:
            for number in range(3):
                client.request("POST", session + "/python/stream", json.dumps({"code": f"print({number})"}), JSON)
                self.assertIn(f'"{number}', client.getresponse().read().decode())
            client.request("GET", "/v1/sessions")
            self.assertEqual(take(client).status, 200)


class Life(SessionCase):
    """How long a session lives."""

    def expiry(self, session: str) -> float:
        """Return when it ends, as the list says."""
        (one,) = [s for s in self.server.get("/v1/sessions").json["sessions"] if session.endswith(s["session_id"])]
        return one["expires_at"]

    def patch(self, session: str, **body: Any) -> Reply:
        """Give it another time to live."""
        return self.server.ask("PATCH", session, body)

    def test_it_is_counted_from_now(self) -> None:
        session = self.begin(ttl_seconds=30)
        for ttl in (3000, 100):
            before = time.time()
            reply = self.patch(session, ttl_seconds=ttl)
            self.assertEqual((reply.status, reply.json["session_id"]), (200, session.removeprefix("/v1/sessions/")), reply)
            self.assertTrue(before + ttl - 0.1 <= reply.json["expires_at"] <= time.time() + ttl + 0.1, reply)
            self.assertAlmostEqual(self.expiry(session), reply.json["expires_at"], delta=1)

    def test_a_longer_life_is_lived(self) -> None:
        session = self.begin(ttl_seconds=3)
        self.assertEqual(self.patch(session, ttl_seconds=600).status, 200)
        time.sleep(4)
        self.assertEqual(self.python(session, "6 * 7")["value"], {"text/plain": "42"})

    def test_a_shorter_one_as_well_and_while_it_is_busy(self) -> None:
        session = self.begin()
        with self.server.stream(session + "/python/stream", code=BUSY, timeout_ms=60000) as stream:
            next(iter(stream))
            self.assertEqual(self.patch(session, ttl_seconds=1).status, 200)
            (kind, result) = list(stream)[-1]
        self.assertEqual((kind, result["lost"]), ("result", True))
        self.is_not_there(self.patch(session, ttl_seconds=60), session)

    def test_bounds(self) -> None:
        session = self.begin()
        for body in ({}, {"ttl_seconds": 0}, {"ttl_seconds": 86401}, {"ttl_seconds": "60"}, {"ttl_seconds": None}):
            with self.subTest(body=body):
                self.assertEqual(self.patch(session, **body).status, 422)
        self.assertEqual(self.patch(session, ttl_seconds=86400).status, 200)
        self.is_not_there(self.patch(f"/v1/sessions/{INVENTED}", ttl_seconds=60), f"/v1/sessions/{INVENTED}")
