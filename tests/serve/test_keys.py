"""`glovebox serve key`, and a server that asks who comes: 401, ceilings, quotas, keys that come and go."""

import contextlib
import json
import re
import signal
import threading
import time
from pathlib import Path
from typing import Any, ClassVar

from support.case import Case
from support.messages import sentence
from support.run import GLOVEBOX, Result, execute, glovebox
from support.serve import AS_ROOT, JSON, Reply, ServeCase, Server, form
from support.times import wait_until

TOKEN = re.compile(r"gbx_[A-Za-z0-9_-]{43}\n")
STRANGER = "gbx_" + "A" * 43


class Commands(Case):
    """add, ls and rm."""

    as_user = True

    def key(self, *words: str | Path, file: str = "keys.json") -> Result:
        """Run one of them on a file of the test's own."""
        return glovebox("serve", "key", *words, "--keys", self.folder / file)

    def names(self) -> list[str]:
        """Return what ls shows to programs."""
        return [key["name"] for key in json.loads(self.assert_status(self.key("ls", "--json")).out)]

    def test_from_the_first_to_the_last(self) -> None:
        self.assertEqual(self.names(), [])
        made = [self.assert_status(self.key("add", name)) for name in ("alice", "bob")]
        for result in made:
            self.assertTrue(TOKEN.fullmatch(result.out), result)
        self.assertNotEqual(made[0].out, made[1].out)
        path = self.folder / "keys.json"
        self.assertEqual((self.names(), path.stat().st_mode & 0o777), (["alice", "bob"], 0o600))
        for result in made:
            self.assertNotIn(result.out.strip()[4:], path.read_text() + self.key("ls").out)
        table = self.key("ls").out.splitlines()
        self.assertEqual([line.split()[0] for line in table], ["NAME", "alice", "bob"])
        self.assert_status(self.key("rm", "alice"))
        self.assertEqual(self.names(), ["bob"])
        self.assert_status(self.key("rm", "bob"))
        self.assertEqual(self.names(), [])

    def test_what_is_refused(self) -> None:
        self.assert_status(self.key("add", "alice"))
        self.assert_refused(self.key("add", "alice"), "alice", "already")
        self.assert_refused(self.key("rm", "bob"), "bob")
        for name in ("", "Alice", "a b", "a/b", "é", "x" * 33, "a\nb"):
            with self.subTest(name=name):
                self.assert_refused(self.key("add", name))
        self.assertEqual(self.key("add").status, 125)
        self.assertEqual(self.key("add", "a", "b").status, 125)
        self.assertEqual(glovebox("serve", "key").status, 125)
        self.assertEqual(glovebox("serve", "key", "show").status, 125)
        self.assertEqual(self.names(), ["alice"])

    def test_ceilings(self) -> None:
        self.assert_status(self.key("add", "small", "--ceiling", self.file("c", '{"limits": {"memory": "64m"}, "concurrency": 1}')))
        (shown,) = json.loads(self.key("ls", "--json").out)
        self.assertEqual(shown["ceiling"], {"limits": {"memory": "64m"}, "concurrency": 1})
        table = {'{"limits": {"memory": "1t"}}': "memory", '{"concurrency": -1}': "concurrency", '{"nothing": 1}': "nothing", "[]": "c", "{": "c"}
        for text, word in table.items():
            with self.subTest(text=text):
                self.assert_refused(self.key("add", "other", "--ceiling", self.file("c", text)), word)
        self.assert_refused(self.key("add", "other", "--ceiling", self.folder / "missing"), "missing")
        self.assertEqual(self.names(), ["small"])

    def test_an_operator(self) -> None:
        self.assert_status(self.key("add", "alice"))
        self.assert_status(self.key("add", "ops", "--operator"))
        self.assertEqual([key["operator"] for key in json.loads(self.key("ls", "--json").out)], [False, True])
        self.assertEqual([line.split()[-2] for line in self.key("ls").out.splitlines()], ["ROLE", "-", "operator"])
        path = self.folder / "keys.json"
        path.write_text(path.read_text().replace('"operator":true', '"operator":1'))
        self.assert_refused(self.key("ls"), "ops", "operator", "true or false")

    def test_files_that_are_not_ours(self) -> None:
        """One that others can write to is nobody's to trust, and one that is none is not replaced."""
        self.assert_status(self.key("add", "alice"))
        path = self.folder / "keys.json"
        path.chmod(0o666)
        self.assert_refused(self.key("add", "bob"), "keys.json")
        path.chmod(0o600)
        for text in ("", "{}", '{"keys": [{}]}', '{"keys": [], "keys": []}', "\0"):
            with self.subTest(text=text):
                path.write_text(text)
                self.assert_refused(self.key("add", "bob"), "keys.json")
                self.assertEqual(path.read_text(), text)

    def test_two_at_once_lose_nothing(self) -> None:
        threads = [threading.Thread(target=self.key, args=("add", f"n{number}")) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(self.names()), [f"n{number}" for number in range(6)])

    def test_a_public_address_needs_them(self) -> None:
        base = [*AS_ROOT, "--image", "host", "--files", self.folder / "files"]
        for address in ("0.0.0.0:0", "[::]:0"):
            with self.subTest(address=address):
                result = glovebox("serve", *base, "--listen", address, timeout=30)
                if "Address family" not in result.err and "Cannot assign" not in result.err:
                    self.assert_refused(result, address, "keys")
        self.assert_refused(glovebox("serve", *base, "--listen", "0.0.0.0:0", "--keys", self.folder / "missing", timeout=30), "missing")
        self.assert_refused(glovebox("serve", *base, "--keys", self.file("broken", "{"), timeout=30), "broken")


class KeyCase(ServeCase):
    """Tests of a server with the keys of a table: their ceilings by their names."""

    ceilings: ClassVar[dict[str, Any]] = {}
    tokens: ClassVar[dict[str, str]]
    place: ClassVar[Path]

    @classmethod
    def setUpClass(cls) -> None:
        """Make the keys, and start the server."""
        super(ServeCase, cls).setUpClass()
        place = cls.enterClassContext(_folder())
        cls.place = place
        cls.tokens = {name: cls.add(name, ceiling) for name, ceiling in cls.ceilings.items()}
        cls.server = Server("--keys", str(place / "keys"), *cls.flags)
        cls.addClassCleanup(cls.server.discard)
        cls.server.wait_ready()

    @classmethod
    def add(cls, name: str, ceiling: Any = None) -> str:
        """Make a key, and return it."""
        flags: list[str | Path] = []
        if ceiling is not None:
            (cls.place / "ceiling").write_text(json.dumps(ceiling))
            flags = ["--ceiling", cls.place / "ceiling"]
        return glovebox("serve", "key", "add", name, *flags, "--keys", cls.place / "keys").out.strip()

    def asks(self, name: str, method: str, path: str, body: Any = None, **headers: str) -> Reply:
        """Make a request with a key."""
        given = {"Authorization": f"Bearer {self.tokens.get(name, name)}"} | headers
        return self.server.ask(method, path, body, given)

    def runs(self, name: str, code: str = "print(1)", **members: Any) -> Reply:
        """Run a program with a key."""
        return self.asks(name, "POST", "/v1/execute", {"code": code, "timeout_ms": 30000} | members)

    def uploads(self, name: str, content: bytes) -> Reply:
        """Upload a file with a key."""
        body, kind = form("x", content)
        return self.asks(name, "POST", "/v1/files", body, **kind)

    def reload(self) -> None:
        """Have the server read its keys."""
        self.server.process.send_signal(signal.SIGHUP)


@contextlib.contextmanager
def _folder() -> Any:
    import tempfile  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix="keys-") as name:
        yield Path(name)


class Doors(KeyCase):
    """Who is let in, and to what."""

    ceilings: ClassVar[dict[str, Any]] = {"alice": None, "bob": None}

    def test_nobody_without_a_key(self) -> None:
        wrong = [
            None, "", "Bearer", "Bearer ", f"Bearer {STRANGER}", f"Bearer {self.tokens['alice']}x", f"Bearer {self.tokens['alice'][:-1]}",
            f"Basic {self.tokens['alice']}", self.tokens["alice"], f"Bearer {self.tokens['alice'].lower()}", "Bearer " + "x" * 8000, f"Bearer alice, Bearer {self.tokens['alice']}",
        ]  # fmt: skip
        routes = [("POST", "/v1/execute"), ("POST", "/v1/execute/stream"), ("POST", "/v1/files"), ("GET", "/v1/files"), ("GET", "/v1/files/x"), ("DELETE", "/v1/files/x")]
        for said in wrong:
            for method, path in routes:
                with self.subTest(said=said and said[:60], path=path):
                    headers = JSON | ({} if said is None else {"Authorization": said})
                    reply = self.server.ask(method, path, b'{"code":"1"}' if method == "POST" else None, headers)
                    self.assertEqual((reply.status, list(reply.json)), (401, ["detail"]), reply)
                    self.assertTrue(reply.headers["WWW-Authenticate"].startswith("Bearer"))
        for path in ("/health", "/ready"):
            self.assertEqual(self.server.get(path).status, 200)

    def test_a_large_body_of_nobody_is_not_read(self) -> None:
        with contextlib.closing(self.server.raw()) as client:
            client.sendall(b"POST /v1/files HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\nExpect: 100-continue\r\n\r\n")
            self.assertTrue(client.recv(1000).startswith(b"HTTP/1.1 401 "))

    def test_with_one(self) -> None:
        self.assertEqual(self.runs("alice").json["stdout"], "1\n")
        for scheme in ("Bearer", "bearer", "BEARER"):
            reply = self.server.get("/v1/files", Authorization=f"{scheme} {self.tokens['alice']}")
            self.assertEqual(reply.status, 200)

    def test_files_of_another(self) -> None:
        id_ = self.uploads("alice", b"hers").json["file_id"]
        path = f"/v1/files/{id_}"
        for method in ("GET", "HEAD", "DELETE"):
            self.assertEqual(self.asks("bob", method, path).status, 404)
        self.assertEqual(self.asks("bob", "GET", path).json, {"detail": sentence("files_refuse_id", id_)})
        self.assertEqual(self.asks("bob", "GET", "/v1/files").json, {"files": []})
        reply = self.runs("bob", files=[{"path": "a", "file_id": id_}])
        self.assertEqual((reply.status, reply.detail), (404, sentence("staging_explain", id_, "a")))
        (output,) = self.runs("alice", "open('out', 'w').write('x'); None").json["files"]
        self.assertEqual(self.asks("bob", "GET", f"/v1/files/{output['file_id']}").status, 404)
        self.assertEqual(self.asks("alice", "GET", path).body, b"hers")
        self.assertEqual({file["file_id"] for file in self.asks("alice", "GET", "/v1/files").json["files"]}, {id_, output["file_id"]})

    def test_a_public_address(self) -> None:
        """With keys, it may be one."""
        server = self.start_server("--keys", str(self.place / "keys"), listen="0.0.0.0:0")
        self.assertTrue(server.address.startswith("http://0.0.0.0:"), server.said)
        self.assertEqual(server.get("/v1/files").status, 401)
        self.assertEqual(server.get("/v1/files", Authorization=f"Bearer {self.tokens['alice']}").status, 200)


class Ceilings(KeyCase):
    """How much each may have."""

    flags = ("--memory", "256m")
    ceilings: ClassVar[dict[str, Any]] = {
        "small": {"limits": {"memory": "64m", "timeout": "2s", "output_limit": "1k"}},
        "one": {"concurrency": 1}, "slow": {"requests_per_minute": 3}, "narrow": {"storage": "100k"}, "free": None,
    }  # fmt: skip

    def test_more_is_refused(self) -> None:
        for limits in ({"memory": "65m"}, {"timeout": "3s"}, {"memory": "4g"}):
            with self.subTest(limits=limits):
                reply = self.runs("small", limits=limits)
                self.assertEqual(reply.status, 422, reply)
                self.assertEqual(self.runs("free", limits={"memory": "65m"}).status, 200)
        self.assertEqual(self.runs("small", limits={"memory": "32m"}).status, 200)

    def test_what_is_not_asked_for_is_less(self) -> None:
        grows = "b = bytearray(150 << 20); print(len(b))"
        self.assertEqual(self.runs("free", grows).json["exit_code"], 0)
        reply = self.runs("small", grows).json
        self.assertEqual((reply["exit_code"], reply["oom"]), (137, True))
        reply = self.runs("small", "import time; time.sleep(60)").json
        self.assertEqual((reply["timed_out"], reply["exit_code"]), (True, None))
        reply = self.runs("small", "print('x' * 5000)").json
        self.assertTrue(reply["truncated"])
        self.assertLessEqual(len(reply["stdout"]), 1024)

    def test_runs_at_once(self) -> None:
        with contextlib.closing(self.server.connection()) as client:
            headers = JSON | {"Authorization": f"Bearer {self.tokens['one']}"}
            body = json.dumps({"code": "print('began', flush=True)\nimport time; time.sleep(60)", "timeout_ms": 60000})
            client.request("POST", "/v1/execute/stream", body, headers)
            self.assertTrue(client.getresponse().readline())
            reply = self.runs("one")
            self.assertEqual(reply.status, 429, reply)
            self.assertGreater(int(reply.headers["Retry-After"]), 0)
            self.assertEqual(self.runs("free").status, 200)
        self.assertTrue(wait_until(lambda: self.runs("one").status == 200, 30), "its place is free again")

    def test_requests_a_minute(self) -> None:
        replies = [self.asks("slow", "GET", "/v1/files") for _ in range(4)]
        self.assertEqual([reply.status for reply in replies], [200, 200, 200, 429])
        self.assertTrue(1 <= int(replies[3].headers["Retry-After"]) <= 20, replies[3])
        self.assertEqual(self.asks("free", "GET", "/v1/files").status, 200)

    def test_files_of_one(self) -> None:
        first = self.uploads("narrow", b"x" * 90000)
        self.assertEqual(first.status, 201)
        reply = self.uploads("narrow", b"y" * 20000)
        self.assertEqual(reply.status, 413, reply)
        reply = self.runs("narrow", "open('out', 'w').write('z' * 20000); None").json
        self.assertEqual((reply["files"], reply["files_truncated"]), ([], True))
        self.assertEqual(self.uploads("free", b"y" * 20000).status, 201)
        self.asks("narrow", "DELETE", f"/v1/files/{first.json['file_id']}")
        self.assertEqual(self.uploads("narrow", b"y" * 20000).status, 201)


class Reload(KeyCase):
    """SIGHUP: keys come and go, and who is served is not disturbed."""

    ceilings: ClassVar[dict[str, Any]] = {"stays": None, "goes": None}

    def test_keys_come_and_go(self) -> None:
        file = self.uploads("goes", b"x").json["file_id"]
        statuses: list[int] = []
        over = threading.Event()

        def ask() -> None:
            while not over.is_set():
                statuses.append(self.runs("stays").status)

        threads = [threading.Thread(target=ask) for _ in range(2)]
        with contextlib.closing(self.server.connection()) as client:
            headers = JSON | {"Authorization": f"Bearer {self.tokens['goes']}"}
            code = "print('began', flush=True)\nimport time; time.sleep(60); print('whole')"
            client.request("POST", "/v1/execute/stream", json.dumps({"code": code, "timeout_ms": 60000}), headers)
            response = client.getresponse()
            self.assertTrue(response.readline())
            for thread in threads:
                thread.start()
            execute([GLOVEBOX, "serve", "key", "rm", "goes", "--keys", str(self.place / "keys")])
            new = self.add("comes")
            self.assertEqual(self.runs(new).status, 401)
            for _ in range(10):
                self.reload()
            self.assertTrue(wait_until(lambda: self.runs(new).status == 200, 30), "it has come")
            self.assertEqual(self.runs("goes").status, 401)
            text = response.read().decode()
            self.assertNotIn("whole", text)
            self.assertNotIn("event: result\n", text)
        over.set()
        for thread in threads:
            thread.join()
        self.assertEqual(set(statuses), {200})
        again = self.add("goes")
        self.reload()
        self.assertTrue(wait_until(lambda: self.runs(again).status == 200, 30), "a new one of that name")
        self.assertEqual(self.asks(again, "GET", f"/v1/files/{file}").status, 404)

    def test_a_file_that_is_wrong_changes_nothing(self) -> None:
        path = self.place / "keys"
        before = path.read_bytes()
        said = len(self.server.said)
        path.write_text("{")
        self.reload()
        self.assertTrue(wait_until(lambda: len(self.server.said) > said, 30), "it says so")
        self.assertEqual(self.runs("stays").status, 200)
        path.write_bytes(before)
        path.unlink()
        self.reload()
        self.assertTrue(wait_until(lambda: len(self.server.said) > said + 1, 30), "it says so")
        self.assertEqual(self.runs("stays").status, 200)
        path.write_bytes(before)
        path.chmod(0o600)
        self.assertIsNone(self.server.process.poll())

    def test_ceilings_change(self) -> None:
        path = self.place / "keys"
        document = json.loads(path.read_text())
        (entry,) = [key for key in document["keys"] if key["name"] == "stays"]
        entry["ceiling"] = {"limits": {"memory": "32m"}}
        path.write_text(json.dumps(document))
        self.reload()
        self.assertTrue(wait_until(lambda: self.runs("stays", limits={"memory": "64m"}).status == 422, 30), "it is less")
        del entry["ceiling"]
        path.write_text(json.dumps(document))
        self.reload()
        self.assertTrue(wait_until(lambda: self.runs("stays", limits={"memory": "64m"}).status == 200, 30), "it is more")
