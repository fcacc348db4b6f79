"""What becomes a file, or is deleted, waits for the disk, and nobody else does: the wait lasts as long as a test wants."""

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from support.run import TESTING
from support.serve import Reply, ServeCase, form
from support.stored import FileCase, kept
from support.times import DEADLINE, wait_until

LEAVES = {"code": "print('ran\\n', end='', flush=True); open('out', 'w').write(input()); None", "timeout_ms": 30000}


def children(pid: int) -> list[int]:
    """Return the processes that one has made."""
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def has_open(pid: int, path: Path) -> bool:
    """Tell whether a process has a file open."""
    with contextlib.suppress(OSError):
        return any(os.path.samefile(f"/proc/{pid}/fd/{fd}", path) for fd in os.listdir(f"/proc/{pid}/fd"))
    return False


class Settling(FileCase):
    """A server of the testing build, whose child opens a FIFO before it waits for the disk."""

    @classmethod
    def setUpClass(cls) -> None:
        """Start no server: each test has its own."""
        super(ServeCase, cls).setUpClass()

    def setUp(self) -> None:
        """Start it."""
        super().setUp()
        self.gate = self.folder / "gate"
        os.mkfifo(self.gate, 0o600)
        self.start()

    def start(self, *flags: str) -> None:
        """Start it with these."""
        self.server = self.start_server(*flags, env={"GLOVEBOX_SETTLE_GATE": str(self.gate)}, program=TESTING).wait_ready()  # type: ignore[misc]

    def tearDown(self) -> None:
        """Nothing may be left, where the server serves still, and holds its child no more."""
        self.gate.unlink()
        if self.server.process.poll() is None:
            super().tearDown()

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Keep the child that waits for the disk where it is, from when it is there until the end of the block."""

        def opened() -> list[int]:
            with contextlib.suppress(OSError):  # nobody reads it yet
                return [os.open(self.gate, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)]
            return []

        found = wait_until(opened)
        self.assertTrue(found, "a child waits for the disk")
        try:
            yield
        finally:
            os.close(found[0])

    def begin(self, content: str, replies: list[Reply]) -> threading.Thread:
        """Start a run that leaves a file."""
        thread = threading.Thread(target=lambda: replies.append(self.server.post("/v1/execute", LEAVES | {"stdin": content})))
        thread.start()
        return thread

    def assert_left(self, reply: Reply, content: bytes) -> None:
        """Assert that a run has left its file."""
        (file,) = reply.json["files"]
        self.assertEqual(self.server.get(f"/v1/files/{file['file_id']}").body, content)

    def test_others_are_served_meanwhile(self) -> None:
        replies: list[Reply] = []
        run = self.begin("first", replies)
        with self.held():
            self.assertEqual(self.execute("print(6 * 7)")["stdout"], "42\n")
            self.assertEqual(self.server.get("/health").status, 200)
            self.assertEqual(self.listed(), [], "nobody sees what may be lost")
            self.assertEqual(kept(self.server) | {"scratch": 0}, {"files": 0, "incoming": 1, "scratch": 0})
            self.assertEqual(replies, [])
        run.join(DEADLINE)
        self.assert_left(replies[0], b"first")
        self.assertEqual([file["filename"] for file in self.listed()], ["out"])

    def holders(self) -> list[int]:
        """Return the children that the gate holds."""
        return [pid for pid in children(self.server.process.pid) if has_open(pid, self.gate)]

    def fail_to_settle(self) -> None:
        """End the child that is held, as a machine without memory would."""
        found = wait_until(self.holders)
        self.assertEqual(len(found), 1, found)
        os.kill(found[0], signal.SIGKILL)
        self.assertTrue(wait_until(lambda: self.holders() != found))

    def begin_upload(self, content: bytes, replies: list[Reply]) -> threading.Thread:
        """Start an upload."""
        thread = threading.Thread(target=lambda: replies.append(self.server.upload("up", content)))
        thread.start()
        return thread

    def test_an_upload(self) -> None:
        """Nobody waits for it, and nobody sees it before its client is told."""
        replies: list[Reply] = []
        upload = self.begin_upload(b"mine", replies)
        with self.held():
            self.assertEqual(self.execute("print(6 * 7)")["stdout"], "42\n")
            self.assertEqual((self.listed(), replies), ([], []))
        upload.join(DEADLINE)
        self.assert_stored(replies[0], "up", b"mine")
        self.assertEqual(len(self.listed()), 1)

    def test_an_upload_that_fails(self) -> None:
        replies: list[Reply] = []
        upload = self.begin_upload(b"mine", replies)
        with self.held():
            self.fail_to_settle()
            upload.join(DEADLINE)
        self.assertEqual(replies[0].status, 500)
        self.assert_kept(0)

    def test_an_upload_that_comes_meanwhile_does_not_fail_with_others(self) -> None:
        outputs: list[Reply] = []
        uploads: list[Reply] = []
        run = self.begin("same", outputs)
        with self.held():
            upload = self.begin_upload(b"same", uploads)
            self.assertTrue(wait_until(lambda: kept(self.server)["incoming"] == 2), kept(self.server))
            self.fail_to_settle()
            run.join(DEADLINE)
            self.assertTrue(wait_until(self.holders), "the next waits for the upload")
        upload.join(DEADLINE)
        self.assertEqual([file["file_id"] for file in outputs[0].json["files"]], [None])
        self.assert_stored(uploads[0], "up", b"same")

    def test_an_upload_whose_client_leaves(self) -> None:
        """What it has sent goes, and who shares the wait with it has his file."""
        first: list[Reply] = []
        others: list[Reply] = []
        run = self.begin("first", first)
        with self.held(), contextlib.closing(self.server.connection()) as client:
            body, kind = form("up", b"left")
            client.request("POST", "/v1/files", body, kind)
            upload = self.begin_upload(b"stays", others)
            self.assertTrue(wait_until(lambda: kept(self.server)["incoming"] == 3), kept(self.server))
            self.fail_to_settle()
            self.assertTrue(wait_until(self.holders), "the next waits for both uploads")
            client.close()
            self.assertTrue(wait_until(lambda: kept(self.server)["incoming"] == 1), kept(self.server))
        for thread in (run, upload):
            thread.join(DEADLINE)
        self.assert_stored(others[0], "up", b"stays")

    def begin_deletion(self, id_: str, replies: list[Reply]) -> threading.Thread:
        """Start to delete a file."""
        thread = threading.Thread(target=lambda: replies.append(self.server.delete(f"/v1/files/{id_}")))
        thread.start()
        return thread

    def stored(self, content: bytes) -> str:
        """Upload a file, which the disk has when this returns its id."""
        uploads: list[Reply] = []
        upload = self.begin_upload(content, uploads)
        with self.held():
            pass
        upload.join(DEADLINE)
        return self.assert_stored(uploads[0], "up", content)

    def test_a_deletion(self) -> None:
        """Others are served, and nobody sees the file; its client is told when it cannot come back."""
        id_ = self.stored(b"mine")
        replies: list[Reply] = []
        deletion = self.begin_deletion(id_, replies)
        with self.held():
            self.assertEqual(self.execute("print(6 * 7)")["stdout"], "42\n")
            self.assertEqual(self.server.get(f"/v1/files/{id_}").status, 404)
            self.assertEqual(self.server.delete(f"/v1/files/{id_}").status, 404)
            self.assertEqual((self.listed(), replies), ([], []))
        deletion.join(DEADLINE)
        self.assertEqual((replies[0].status, replies[0].body), (204, b""))
        self.assert_kept(0)

    def test_a_deletion_that_fails(self) -> None:
        """The client is told that the file may come back after a power failure; until then it is gone."""
        id_ = self.stored(b"mine")
        replies: list[Reply] = []
        deletion = self.begin_deletion(id_, replies)
        with self.held():
            self.fail_to_settle()
            deletion.join(DEADLINE)
        self.assertEqual(replies[0].status, 500)
        self.assertEqual(self.server.get(f"/v1/files/{id_}").status, 404)
        self.assert_kept(0)

    def test_a_deletion_whose_client_leaves(self) -> None:
        id_ = self.stored(b"mine")
        with contextlib.closing(self.server.connection()) as client:
            client.request("DELETE", f"/v1/files/{id_}")
            with self.held():
                client.close()
                self.assertEqual(self.execute("print(6 * 7)")["stdout"], "42\n")
        self.assert_kept(0)

    def test_a_disk_that_fails(self) -> None:
        """The run has its result, without the file, which is not there."""
        replies: list[Reply] = []
        run = self.begin("lost", replies)
        with self.held():
            self.fail_to_settle()
            run.join(DEADLINE)
        self.assertEqual((replies[0].status, replies[0].json["exit_code"]), (200, 0))
        self.assertEqual([(file["path"], file["file_id"]) for file in replies[0].json["files"]], [("out", None)])
        self.assert_kept(0)

    def test_those_who_come_meanwhile_share_the_next_wait(self) -> None:
        first: list[Reply] = []
        others: list[Reply] = []
        run = self.begin("first", first)
        with self.held():
            runs = [self.begin(name, others) for name in ("second", "third")]
            self.assertTrue(wait_until(lambda: kept(self.server)["incoming"] == 3), kept(self.server))
        run.join(DEADLINE)
        with self.held():
            self.assertEqual((len(first), len(others)), (1, 0))
        for each in runs:
            each.join(DEADLINE)
        self.assertEqual(len(others), 2)
        for reply, content in zip(sorted(others, key=lambda reply: reply.json["files"][0]["size_bytes"]), (b"third", b"second")):
            self.assert_left(reply, content)

    def test_a_stream(self) -> None:
        """Its output comes before its file is on the disk, its result afterwards."""
        with self.server.stream(**LEAVES, stdin="streamed") as stream:
            events: Iterator[tuple[str, dict[str, Any]]] = iter(stream)
            with self.held():
                self.assertEqual(next(events), ("output", {"stream": "stdout", "data": "ran\n"}))
                self.assertEqual(self.server.get("/health").status, 200)
            (kind, result) = list(events)[-1]
        self.assertEqual((kind, [file["path"] for file in result["files"]]), ("result", ["out"]))

    def test_a_client_that_leaves_has_left_nothing(self) -> None:
        with contextlib.ExitStack() as block:
            with self.server.stream(**LEAVES, stdin="mine") as stream:
                self.assertEqual(next(iter(stream))[0], "output")
                block.enter_context(self.held())
            self.assert_kept(0)
        self.assertEqual(self.execute("print(6 * 7)")["stdout"], "42\n")

    def test_the_end_of_the_server(self) -> None:
        """It does not wait for the disk longer than for anything else; nothing stays."""
        self.start("--drain", "1s")
        replies: list[Reply] = []

        def ask() -> None:
            with contextlib.suppress(OSError):
                replies.append(self.server.post("/v1/execute", LEAVES | {"stdin": "mine"}))

        run = threading.Thread(target=ask)
        run.start()
        with self.held():
            self.assertEqual(self.server.stop(), 0)
        run.join(DEADLINE)
        self.assertEqual([reply.status for reply in replies], [503])
        self.assertEqual(kept(self.server), {"files": 0, "incoming": 0, "scratch": 0})

    def test_as_many_files_as_there_may_be(self) -> None:
        """They are put into place some at a time; each is there in the end."""
        code = "for n in range(256): open(f'out{n}', 'w').write(str(n))\nNone"
        replies: list[dict[str, Any]] = []
        run = threading.Thread(target=lambda: replies.append(self.execute(code)))
        run.start()
        with self.held():
            self.assertEqual(self.listed(), [])
        run.join(DEADLINE)
        files = {file["path"]: file["file_id"] for file in replies[0]["files"]}
        self.assertEqual(set(files), {f"out{n}" for n in range(256)})
        for n in range(0, 256, 17):
            self.assertEqual(self.server.get(f"/v1/files/{files[f'out{n}']}").body, str(n).encode())
