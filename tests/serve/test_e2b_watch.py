"""Directories that are watched by E2B's API: as a stream, and polled."""

from typing import Any

from support.e2b import END, FORM, HOME, TREE, E2bCase, Stream, multipart
from support.processes import marked
from support.times import wait_until
from support.serve import Reply

KILL_ALL_HIDDEN = "for pid in $(seq 4 100); do test -e /proc/$pid || kill -9 $pid; done 2>/dev/null"
Event = tuple[str, str]
CREATE, WRITE, REMOVE, RENAME, CHMOD = (f"EVENT_TYPE_{word}" for word in ("CREATE", "WRITE", "REMOVE", "RENAME", "CHMOD"))


class WatchCase(E2bCase):
    """A sandbox whose directories are watched."""

    def setUp(self) -> None:
        """Make it."""
        self.box = self.create()
        self.box.run("mkdir -p d/deep")

    @staticmethod
    def watchers(path: str) -> int:
        """Return how many processes watch a directory, which has a name of its own. They are hidden from the sandbox."""
        return len(marked(f"watch\0/\0{HOME}/{path}\0"))

    def own_directory(self) -> str:
        """Make a directory that no other sandbox has."""
        path = f"d-{self.box.id}"
        self.box.run(f"mkdir {path}")
        return path

    def create_watcher(self, path: str = "d", **members: Any) -> str:
        """Begin one that is polled."""
        reply = self.box.tree("CreateWatcher", path=path, **members)
        self.assertEqual(reply.status, 200, reply)
        return str(reply.json["watcherId"])

    def poll(self, watcher: str) -> list[Event]:
        """Return its new events."""
        reply = self.box.tree("GetWatcherEvents", watcherId=watcher)
        self.assertEqual(reply.status, 200, reply)
        return [(event["name"], event["type"]) for event in reply.json["events"]]

    def poll_until(self, watcher: str, last: Event) -> list[Event]:
        """Poll until an event has come."""
        seen: list[Event] = []

        def has_come() -> bool:
            seen.extend(self.poll(watcher))
            return last in seen

        self.assertTrue(wait_until(has_come), seen)
        return seen

    def assert_refused(self, reply: Reply, status: int, code: str) -> None:
        """Assert an error of a call."""
        self.assertEqual((reply.status, reply.json["code"]), (status, code), reply)


def events_until(stream: Stream, last: Event) -> list[Event]:
    """Read events up to one."""
    seen: list[Event] = []
    while last not in seen:
        _, message = stream.message()
        if event := message.get("filesystem"):
            seen.append((event["name"], event["type"]))
    return seen


class Polled(WatchCase):
    """CreateWatcher, GetWatcherEvents, RemoveWatcher."""

    def test_events(self) -> None:
        watcher = self.create_watcher()
        self.assertEqual(self.poll(watcher), [])
        self.box.run("cd d && echo x >f && chmod 600 f && mv f g && rm g && touch deep/unseen && mkdir last")
        seen = self.poll_until(watcher, ("last", CREATE))
        self.assertEqual(
            [event for i, event in enumerate(seen) if event not in seen[i - 1 : i]],  # one may be told twice
            [("f", CREATE), ("f", WRITE), ("f", CHMOD), ("f", RENAME), ("g", CREATE), ("g", REMOVE), ("last", CREATE)],
        )
        self.assertEqual(self.poll(watcher), [])

    def test_what_the_api_writes(self) -> None:
        watcher = self.create_watcher()
        for _ in range(2):
            self.assertEqual(self.box.reach("POST", "/files?path=d/f", multipart(("f", b"x")), **FORM).status, 200)
        self.box.run("mkdir d/last")
        self.assertEqual(self.poll_until(watcher, ("last", CREATE))[:-1], [("f", CREATE), ("f", WRITE)] * 2)

    def test_below(self) -> None:
        watcher = self.create_watcher(recursive=True)
        self.box.run("cd d && mkdir -p a/b && touch a/b/f deep/g")
        seen = self.poll_until(watcher, ("deep/g", CREATE))
        self.assertIn(("a/b/f", CREATE), seen)

    def test_its_end(self) -> None:
        watcher = self.create_watcher(path := self.own_directory())
        self.assertEqual(self.watchers(path), 1)
        self.assertEqual(self.box.tree("RemoveWatcher", watcherId=watcher).json, {})
        self.assertTrue(wait_until(lambda: self.watchers(path) == 0))
        for method in ("RemoveWatcher", "GetWatcherEvents"):
            self.assert_refused(self.box.tree(method, watcherId=watcher), 404, "not_found")

    def test_a_directory_that_goes(self) -> None:
        watcher = self.create_watcher()
        self.box.run("touch d/f; rm -r d")
        self.assertEqual(self.poll_until(watcher, (".", REMOVE))[0], ("f", CREATE))
        self.assertTrue(wait_until(lambda: self.box.tree("GetWatcherEvents", watcherId=watcher).status != 200))
        self.assert_refused(self.box.tree("GetWatcherEvents", watcherId=watcher), 404, "not_found")

    def test_what_cannot_be_watched(self) -> None:
        self.box.run("touch f; ln -s d l")
        for path, status, code in (("none", 404, "not_found"), ("f", 400, "invalid_argument"), ("l", 400, "invalid_argument"), ("", 400, "invalid_argument")):
            with self.subTest(path):
                self.assert_refused(self.box.tree("CreateWatcher", path=path), status, code)

    def test_as_many_as_may_be(self) -> None:
        watchers = [self.create_watcher() for _ in range(16)]
        self.assert_refused(self.box.tree("CreateWatcher", path="d"), 429, "resource_exhausted")
        self.box.tree("RemoveWatcher", watcherId=watchers[0])
        self.create_watcher()

    def test_one_that_has_ended_makes_room(self) -> None:
        self.box.run("mkdir e")
        for _ in range(16):
            self.create_watcher("e")
        self.box.run("rm -r e")
        self.assertTrue(wait_until(lambda: self.box.tree("CreateWatcher", path="d").status == 200))

    def test_a_watcher_is_of_its_sandbox(self) -> None:
        watcher = self.create_watcher()
        other = self.create()
        self.assert_refused(other.tree("GetWatcherEvents", watcherId=watcher), 404, "not_found")
        self.assert_refused(other.tree("RemoveWatcher", watcherId=watcher), 404, "not_found")

    def test_what_nobody_polls_is_bounded(self) -> None:
        watcher = self.create_watcher()
        self.box.run("cd d; touch a b; python3 -c 'import os\nfor i in range(90000): os.utime(\"ab\"[i % 2])'")
        seen = 0
        while (reply := self.box.tree("GetWatcherEvents", watcherId=watcher)).status == 200:
            self.assertLess(len(reply.body), 2 << 20)
            seen += len(reply.json["events"])
        self.assert_refused(reply, 429, "resource_exhausted")
        self.assertGreater(seen, 1000)

    def test_the_end_of_its_sandbox(self) -> None:
        watcher = self.create_watcher()
        self.box.control("DELETE")
        self.assert_gone(self.box.tree("GetWatcherEvents", watcherId=watcher))


class Streams(WatchCase):
    """WatchDir."""

    def test_events(self) -> None:
        path = self.own_directory()
        with self.box.stream(TREE + "WatchDir", {"path": path}) as stream:
            self.assertEqual(stream.message(), (0, {"start": {}}))
            self.box.run(f"touch {path}/f")
            self.assertEqual(events_until(stream, ("f", CREATE)), [("f", CREATE)])
            self.assertEqual(self.watchers(path), 1)
        self.assertTrue(wait_until(lambda: self.watchers(path) == 0))

    def test_it_tells_that_it_is_there(self) -> None:
        with self.box.stream(TREE + "WatchDir", {"path": "d"}, **{"Keepalive-Ping-Interval": "1"}) as stream:
            self.assertEqual([stream.message(), stream.message()], [(0, {"start": {}}), (0, {"keepalive": {}})])

    def test_its_time(self) -> None:
        with self.box.stream(TREE + "WatchDir", {"path": "d"}, **{"Connect-Timeout-Ms": "100"}) as stream:
            self.assertEqual(stream.message(), (0, {"start": {}}))
            flags, message = stream.message()
            self.assertEqual((flags, message["error"]["code"]), (END, "deadline_exceeded"))

    def test_errors(self) -> None:
        with self.box.stream(TREE + "WatchDir", {"path": "none"}) as stream:
            flags, message = stream.message()
            self.assertEqual((flags, message["error"]["code"]), (END, "not_found"))
        with self.box.stream(TREE + "WatchDir", {"path": "d"}) as stream:
            self.assertEqual(stream.message(), (0, {"start": {}}))
            self.box.run("rm -r d")
            events_until(stream, (".", REMOVE))
            flags, message = stream.message()
            self.assertEqual((flags, message["error"]["code"]), (END, "not_found"))

    def test_the_end_of_its_sandbox(self) -> None:
        with self.box.stream(TREE + "WatchDir", {"path": "d"}) as stream:
            self.assertEqual(stream.message(), (0, {"start": {}}))
            self.box.control("DELETE")
            flags, message = stream.message()
            self.assertEqual((flags, message["error"]["code"]), (END, "unavailable"))

    def test_one_that_is_killed_inside(self) -> None:
        with self.box.stream(TREE + "WatchDir", {"path": "d"}) as stream:
            self.assertEqual(stream.message(), (0, {"start": {}}))
            self.box.run(KILL_ALL_HIDDEN)
            flags, message = stream.message()
            self.assertEqual((flags, message["error"]["code"]), (END, "internal"))
