"""engine: what is told when it comes: waits and events; and several Engines, which keep nothing of their own."""

import contextlib
import json
import os
import signal
import time
from pathlib import Path

from support.engine import WAITS, EngineCase, Stream, connect
from support.times import wait_until

TYPED = "read x; exit 3"


class Wait(EngineCase):
    """POST /containers/X/wait."""

    def wait(self, one: str, condition: str = "") -> contextlib.AbstractContextManager[Stream]:
        """Begin to wait; the headers are there."""
        query = f"?condition={condition}" if condition else ""
        return self.engine.stream("POST", f"/containers/{one}/wait{query}")

    def code(self, stream: Stream) -> int:
        """Return the exit code that a wait tells."""
        self.assertEqual((stream.status, stream.headers["Content-Type"]), (200, "application/json"))
        return json.loads(stream.text())["StatusCode"]

    def type(self, one: str) -> None:
        """Let a program that reads a line end."""
        with self.engine.hijack(f"/containers/{one}/attach?stream=1&stdin=1") as stream:
            stream.send(b"x\n")
            stream.read()

    def test_headers_come_at_once(self) -> None:
        """Clients start a container only when they have them."""
        for condition in ("", "not-running", "next-exit", "removed"):
            one = self.running()
            with self.wait(one, condition) as stream:
                self.assertEqual((stream.status, stream.seen), (200, b""))

    def test_not_running(self) -> None:
        """Of one that has ended, at once, with its exit code; of a new one 0."""
        self.assertEqual(self.engine.post(f"/containers/{self.create()}/wait").json["StatusCode"], 0)
        one = self.running("sh", "-c", TYPED, OpenStdin=True, StdinOnce=True)
        with self.wait(one) as stream, self.wait(one, "not-running") as named:
            self.type(one)
            self.assertEqual((self.code(stream), self.code(named)), (3, 3))
        self.assertEqual(self.engine.post(f"/containers/{one}/wait", condition="not-running").json["StatusCode"], 3)

    def test_next_exit(self) -> None:
        """It begins before the start, and an end that was is none."""
        one = self.ended("sh", "-c", "exit 3")
        with self.wait(one, "next-exit") as stream:
            self.assert_answer(self.engine.post(f"/containers/{one}/start"), 204)
            self.assertEqual(self.code(stream), 3)

    def test_removed(self) -> None:
        """When it is gone, its name is free."""
        one = self.create("sh", "-c", "exit 3", name="gone", HostConfig={"AutoRemove": True})
        with self.wait(one, "removed") as stream:
            self.assert_answer(self.engine.post(f"/containers/{one}/start"), 204)
            self.assertEqual(self.code(stream), 3)
        self.assert_answer(self.engine.get("/containers/gone/json"), 404)
        self.create(name="gone")

    def test_removed_by_another(self) -> None:
        """One that is only removed later."""
        one = self.ended("sh", "-c", "exit 3")
        with self.wait(one, "removed") as stream:
            self.assert_answer(self.engine.delete(f"/containers/{one}"), 204)
            self.code(stream)

    def test_of_many_at_once(self) -> None:
        """All are told."""
        one = self.running("sh", "-c", TYPED, OpenStdin=True, StdinOnce=True)
        with contextlib.ExitStack() as stack:
            streams = [stack.enter_context(self.wait(one, "next-exit")) for _ in range(20)]
            self.type(one)
            self.assertEqual([self.code(stream) for stream in streams], [3] * 20)

    def test_one_whose_monitor_was_killed(self) -> None:
        """Its end has no event."""
        one = self.running()
        monitor = next(pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if self.is_monitor(pid, one))
        with self.wait(one) as stream:
            os.kill(monitor, signal.SIGKILL)
            self.assertEqual(self.code(stream), 137)

    def is_monitor(self, pid: int, one: str) -> bool:
        """Tell whether a process has the record of a container as a directory open: its monitor."""
        place = f"{self.folder}/state/glovebox/sandboxes/{one}"
        with contextlib.suppress(OSError):
            return any(os.readlink(link) == place for link in Path(f"/proc/{pid}/fd").iterdir())
        return False

    def test_an_unknown_condition_is_400(self) -> None:
        """And a container that is not there 404."""
        one = self.create()
        self.assert_answer(self.engine.post(f"/containers/{one}/wait", condition="ended"), 400, "invalid condition")

    def test_a_client_that_leaves(self) -> None:
        """`docker run -d` leaves its wait open: it is dropped, and nothing else."""
        one = self.running()
        for _ in range(20):
            with self.wait(one, "next-exit"):
                pass
        self.assert_answer(self.engine.post(f"/containers/{one}/kill"), 204)
        self.assertEqual(self.engine.post(f"/containers/{one}/wait").json["StatusCode"], 137)


class Events(EngineCase):
    """GET /events."""

    def test_what_was(self) -> None:
        """With old and new keys at once; since and until."""
        one = self.ended("sh", "-c", "exit 3", name="told", Labels={"a": "b"})
        self.assert_answer(self.engine.delete(f"/containers/{one}"), 204)
        answer = self.assert_answer(self.engine.get("/events", since="1", until=f"{time.time():.3f}"))
        self.assertEqual(answer.headers["Content-Type"], "application/json")
        events = answer.lines
        self.assertEqual([event["Action"] for event in events], ["create", "start", "die", "destroy"])
        for event in events:
            self.assertEqual((event["status"], event["id"], event["Type"], event["scope"]), (event["Action"], one, "container", "local"))
            self.assertEqual((event["Actor"]["ID"], event["Actor"]["Attributes"]["name"]), (one, "told"))
            self.assertEqual(event["timeNano"] // 10**9, event["time"])
            self.assertEqual(event["from"], event["Actor"]["Attributes"]["image"])
        self.assertEqual(events[2]["Actor"]["Attributes"]["exitCode"], "3")

    def test_what_comes(self) -> None:
        """Line by line, filtered."""
        filters = json.dumps({"event": ["die"], "type": {"container": True}}).replace(" ", "").replace('"', "%22")
        with self.engine.stream("GET", f"/events?filters={filters}") as stream:
            self.assertEqual(stream.status, 200)
            one = self.ended("true")
            stream.expect(b"\n")
            self.assertIn(one.encode(), stream.seen)
            self.assertIn(b'"die"', stream.seen)
            self.assertNotIn(b'"start"', stream.seen)

    def test_wrong_ones_are_400(self) -> None:
        """An unknown filter, and a time that is none."""
        self.assert_answer(self.engine.get("/events", filters={"unknown": ["x"]}, until="1"), 400, "filter")
        self.assert_answer(self.engine.get("/events", since="x"), 400)


class Several(EngineCase):
    """An Engine may be killed, and there may be others."""

    def test_a_killed_one_ends_nothing(self) -> None:
        """Another sees the same containers and execs."""
        one = self.running(name="stays")
        made = self.make_exec(one, "sh", "-c", "echo begun; while [ ! -e /tmp/go ]; do sleep 0.02; done; echo done >/tmp/done")
        with self.engine.hijack(f"/exec/{made}/start", {}) as stream:
            stream.expect(b"begun")
            self.assertEqual(self.engine.end(signal.SIGKILL), -signal.SIGKILL)
            self.engine = self.start_engine()
            self.assertEqual(self.state("stays")["Status"], "running")
            self.assertEqual(self.exec(one, "touch", "/tmp/go"), (0, b"", b""))
            self.assertTrue(wait_until(lambda: self.exec(one, "cat", "/tmp/done")[1] == b"done\n"))
        found = self.assert_answer(self.engine.get(f"/exec/{made}/json")).json
        self.assertEqual((found["ContainerID"], found["Running"]), (one, False))
        self.assert_answer(self.engine.post(f"/exec/{made}/start", {}), 409)
        self.assert_answer(self.engine.post(f"/containers/{one}/stop", t="5"), 204)

    def test_two_agree(self) -> None:
        """What one makes the other starts, and the first is told of its end."""
        other = self.start_engine()
        one = self.create("sh", "-c", "exit 3")
        with self.engine.stream("POST", f"/containers/{one}/wait?condition=next-exit") as stream:
            self.assert_answer(other.post(f"/containers/{one}/start"), 204)
            self.assertEqual(json.loads(stream.text())["StatusCode"], 3)
        two = self.running()
        made = self.make_exec(two, "sh", "-c", "echo begun; cat", AttachStdin=True)
        with other.hijack(f"/exec/{made}/start", {}) as stream:
            stream.expect(b"begun")
            found = self.engine.get(f"/exec/{made}/json").json
            self.assertEqual((found["Running"], found["ExitCode"]), (True, None))
            self.assert_answer(self.engine.post(f"/exec/{made}/start", {}), 409)
            stream.end()
            stream.read()
        self.assertEqual(self.engine.get(f"/exec/{made}/json").json["ExitCode"], 0)

    def test_ours_and_theirs_are_the_same(self) -> None:
        """A sandbox of `run -d` is a container, and the other way round."""
        self.assert_status(self.ours("run", "-d", "--name", "ours", "host", "sh", "-c", WAITS))
        self.assertEqual(self.state("ours")["Status"], "running")
        one = self.running(name="theirs")
        self.assertEqual(self.assert_status(self.ours("exec", "theirs", "echo", "hi")).out, "hi\n")
        self.assert_status(self.ours("rm", "-f", "theirs"))
        self.assert_answer(self.engine.get(f"/containers/{one}/json"), 404)

    def test_it_ends_with_streams_open(self) -> None:
        """SIGTERM ends it, and no container."""
        one = self.running()
        with (
            self.engine.stream("GET", f"/containers/{one}/logs?stdout=1&follow=1") as logs,
            self.engine.stream("POST", f"/containers/{one}/wait") as wait,
            self.engine.stream("GET", "/events") as events,
            contextlib.closing(connect(self.engine.path)),
        ):
            self.assertEqual(self.engine.end(), 0)
            for stream in (logs, wait, events):
                stream.read()
        self.engine = self.start_engine()
        self.assertEqual(self.state(one)["Status"], "running")

    def test_descriptors_do_not_pile_up(self) -> None:
        """Clients that leave, whatever they were at, leave nothing."""
        one = self.running()
        place = Path(f"/proc/{self.engine.process.pid}/fd")
        self.assert_answer(self.engine.get("/_ping"))
        before = len(list(place.iterdir()))
        for _ in range(10):
            made = self.make_exec(one, "true")
            for method, path in (
                ("GET", f"/containers/{one}/logs?stdout=1&follow=1"),
                ("POST", f"/containers/{one}/attach?stream=1&stdout=1"),
                ("POST", f"/containers/{one}/wait"),
                ("POST", f"/exec/{made}/start"),
                ("GET", "/events"),
                ("GET", f"/containers/{one}/stats"),
            ):
                with self.engine.stream(method, path) as stream:
                    self.assertEqual(stream.status, 200)
        self.assertTrue(wait_until(lambda: len(list(place.iterdir())) <= before), [os.readlink(one) for one in place.iterdir()])
        children = Path(f"/proc/{self.engine.process.pid}/task/{self.engine.process.pid}/children")
        self.assertTrue(wait_until(lambda: not children.read_text()), children.read_text())
