"""Where settings come from: a file, variables (those of other services, too) and flags; what SIGHUP reads again."""

import json
import os
import re
import signal
import socket
from pathlib import Path
from typing import Any

from support.messages import message, named
from support.run import Result, glovebox
from support.serve import AS_ROOT, ServeCase, Server, form
from support.times import wait_until

RUN = {"code": "print(6 * 7)", "timeout_ms": 30000}


class SettingsCase(ServeCase):
    """Tests that each start servers of their own."""

    @classmethod
    def setUpClass(cls) -> None:
        """Start none."""
        super(ServeCase, cls).setUpClass()

    def config(self, document: Any, name: str = "serve.json") -> Path:
        """Write a file of settings."""
        path = self.file(name, document if isinstance(document, str) else json.dumps(document))
        path.chmod(0o600)
        return path

    def tries(self, *flags: str | Path, env: dict[str, str] | None = None) -> Result:
        """Try to start a server that listens nowhere, and says so if all else is right."""
        given = ["--image", "host", "--files", self.folder / "files", "--listen", "nowhere", *AS_ROOT, *flags]
        result = glovebox("serve", *given, env=env or {}, timeout=60)
        self.assertEqual((result.status, len(result.err.splitlines())), (125, 1), result)
        return result


def size(server: Server) -> int:
    """Return how many megabytes a file may have, by what is refused."""
    for megabytes in (1, 2, 3):
        body, kind = form("x", b"x" * ((megabytes << 20) + 1))
        if server.ask("POST", "/v1/files", body, kind).status == 413:
            return megabytes
    return 0


class File(SettingsCase):
    """--config."""

    as_user = True

    def test_file_variable_and_flag(self) -> None:
        """Each goes before the last."""
        path = self.config({"max_file": 1, "access_log": False, "memory": "64m", "log_format": "json", "cors": ["https://a.example", "https://b.example"]})
        server = self.start_server("--config", str(path)).wait_ready()
        self.assertEqual(size(server), 1)
        self.assertEqual(server.post("/v1/execute", {"code": "b = bytearray(100 << 20)", "timeout_ms": 30000}).json["exit_code"], 137)
        for origin in ("https://a.example", "https://b.example"):
            self.assertEqual(server.get("/health", Origin=origin).headers["Access-Control-Allow-Origin"], origin)
        for line in server.said:
            self.assertNotEqual(json.loads(line)["message"], "request")
        env = {"GLOVEBOX_SERVE_CONFIG": str(path), "MAX_FILE_SIZE_MB": "2"}
        self.assertEqual(size(self.start_server(env=env)), 2)
        self.assertEqual(size(self.start_server("--max-file", "3", env=env)), 3)

    def test_where_it_listens(self) -> None:
        server = self.start_server("--config", str(self.config({"listen": f"unix:{self.folder}/socket"})), listen="")
        self.assertEqual((server.address, server.get("/health").status), (f"unix:{self.folder}/socket", 200))

    def test_what_is_wrong(self) -> None:
        """One line, with the file and the member."""
        table = {
            '{"max_runs": "many"}': '"max_runs": ', '{"max-runs": 1}': message("setting_json_member#underscores", '"max-runs"'), '{"nothing": 1}': '"nothing"',
            '{"max_runs": 1, "max_runs": 2}': '"max_runs" is there twice', '{"max_runs": 0}': '"max_runs": ', '{"trust_image": 3}': '"trust_image": ',
            '{"cors": [1]}': '"cors": ', '{"config": "x"}': message("flags_read_file#other"), '{"user": "0"}': '"user"', "[]": "object", "{": "", '{"a\\u0000": 1}': "",
        }  # fmt: skip
        for text, said in table.items():
            with self.subTest(text=text):
                path = self.config(text)
                result = self.tries("--config", path)
                self.assertIn(f"--config: {path}" if not said or "twice" in str(said) else f"--config {path}: ", result.err)
                self.assertRegex(result.err, named(said))
        self.assertIn("missing", self.tries("--config", self.folder / "missing").err)
        path = self.config({"max_runs": 1})
        self.assertIn("nowhere", self.tries("--config", path).err)
        path.chmod(0o666)
        self.assertIn(f"{path} must be yours", self.tries("--config", path).err)


class Variables(SettingsCase):
    """The names that other services have, each by what it does."""

    def test_each_is_read(self) -> None:
        """What is wrong is said by the name that was given."""
        table = {
            "FILE_STORAGE_DIR": "", "MAX_FILE_SIZE_MB": "x", "FILE_TTL_SEC": "x", "MAX_CONCURRENT_EXECUTIONS": "x", "EXECUTION_RETRY_AFTER_SEC": "x",
            "MAX_EXEC_TIMEOUT_MS": "x", "MAX_OUTPUT_BYTES": "x", "MEMORY_LIMIT_MB": "15", "LOG_FORMAT": "x", "PORT": "x", "EXECUTION_QUEUE_TIMEOUT_SEC": "x",
            "CAPACITY_RETRY_AFTER_SEC": "x", "LOG_LEVEL": "x",
        }  # fmt: skip
        for name, value in table.items():
            with self.subTest(name=name):
                if value:
                    self.assertIn(f"{name}: ", self.tries(env={name: value}).err)
                self.assertIn("nowhere", self.tries(env={name: ""}).err, "an empty one is none")

    def test_modules_that_are_imported_in_advance(self) -> None:
        server = self.start_server("--preload", "colorsys").wait_ready()
        done = server.post("/v1/execute", {"code": "import sys; print('colorsys' in sys.modules)"})
        self.assertEqual(done.json["stdout"], "True\n")

    def test_module_that_cannot_be_is_named_once(self) -> None:
        server = self.start_server("--preload", "asyncio.windows_events,colorsys").wait_ready()
        for _ in range(2):
            done = server.post("/v1/execute", {"code": "import sys; print('colorsys' in sys.modules)"})
            self.assertEqual(done.json["stdout"], "True\n")
        wait_until(lambda: any("preload" in said for said in server.said))
        line = "glovebox: not preloaded: asyncio.windows_events: ImportError: win32 only"
        self.assertEqual([said for said in server.said if "preload" in said], [line])

    def test_host_and_port(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            free = taken.getsockname()[1]
        server = self.start_server(listen="", env={"HOST": "127.0.0.2", "PORT": str(free)})
        self.assertEqual(server.address, f"http://127.0.0.2:{free}", server.said)
        server = self.start_server(listen="", env={"PORT": "0"})
        self.assertRegex(server.address, r"^http://127\.0\.0\.1:[1-9]\d+$")
        server = self.start_server("--port", "0", listen="", env={"HOST": "::1", "PORT": "1"})
        if "family" not in server.said[-1] and "Cannot assign" not in server.said[-1]:
            self.assertRegex(server.address, r"^http://\[::1\]:[1-9]\d+$")
        server = self.start_server(env={"HOST": "0.0.0.0", "PORT": "1"})
        self.assertTrue(server.address.startswith("http://127.0.0.1:"), "--listen goes before both")

    def test_a_public_host_needs_keys_as_well(self) -> None:
        given = ["--image", "host", "--files", self.folder / "files", *AS_ROOT]
        said = glovebox("serve", *given, env={"HOST": "0.0.0.0", "PORT": "0"}, timeout=60)
        self.assert_refused(said, "--listen 0.0.0.0:0", message("addresses_add"))
        said = glovebox("serve", *given, env={"HOST": "box.example"}, timeout=60)
        self.assert_refused(said, "--listen box.example:8000", message("listen_inet#host"))

    def test_the_queue_and_what_is_advised(self) -> None:
        """A duration in seconds, with or without a fraction."""
        env = {"EXECUTION_QUEUE_TIMEOUT_SEC": "0.1", "EXECUTION_RETRY_AFTER_SEC": "7", "MAX_CONCURRENT_EXECUTIONS": "1"}
        server = self.start_server(env=env).wait_ready()
        with server.stream(code="print('began', flush=True)\nimport time; time.sleep(60)", timeout_ms=60000) as stream:
            next(iter(stream))
            reply = server.post("/v1/execute", RUN)
            self.assertEqual((reply.status, reply.headers["Retry-After"]), (429, "7"))

    def test_when_there_is_no_cell(self) -> None:
        server = self.start_server(env={"CAPACITY_RETRY_AFTER_SEC": "77"}).wait_ready()
        supervisor = server.warm()["pid"]
        with server.stream(code="print('began', flush=True)\nimport time; time.sleep(60)", timeout_ms=60000) as stream:
            next(iter(stream))
            os.kill(supervisor, signal.SIGKILL)

            def refused() -> Any:
                reply = server.post("/v1/execute", RUN)
                return reply if reply.status == 503 else None

            reply = wait_until(refused, 30)
        self.assertEqual(reply.headers["Retry-After"], "77", reply)

    def test_limits_and_the_log(self) -> None:
        env = {"MAX_EXEC_TIMEOUT_MS": "40000", "MAX_OUTPUT_BYTES": "100", "MEMORY_LIMIT_MB": "64", "LOG_LEVEL": "WARNING", "LOG_FORMAT": "json",
               "FILE_TTL_SEC": "1", "FILE_STORAGE_DIR": "/nowhere/at/all"}  # fmt: skip
        server = self.start_server(env=env).wait_ready()
        self.assertEqual(server.post("/v1/execute", RUN | {"timeout_ms": 40001}).status, 422)
        self.assertTrue(server.post("/v1/execute", RUN | {"code": "print('x' * 1000)"}).json["truncated"])
        self.assertEqual(server.post("/v1/execute", RUN | {"code": "b = bytearray(100 << 20)"}).json["exit_code"], 137)
        server.upload("x", b"y")
        self.assertTrue(wait_until(lambda: server.get("/v1/files").json["files"] == [], 30), "it has gone")
        self.assertEqual([json.loads(line)["level"] for line in server.said], ["info"], "only where it serves")
        loud = self.start_server(env={"LOG_LEVEL": "info"})
        loud.get("/health")
        self.assertTrue(wait_until(lambda: any("GET /health" in line for line in loud.said), 30))


class Ceiling(SettingsCase):
    """SIGHUP: the server's ceiling."""

    def ceiling(self, memory: str, **more: Any) -> str:
        """Write the file; return its path."""
        return str(self.config({"limits": {"memory": memory}} | more, "ceiling.json"))

    def status(self, server: Server, memory: str, **headers: str) -> int:
        """Ask for so much."""
        return server.post("/v1/execute", RUN | {"limits": {"memory": memory}}, **headers).status

    def test_without_keys(self) -> None:
        server = self.start_server("--ceiling", self.ceiling("128m"), "--memory", "64m").wait_ready()
        self.assertEqual((self.status(server, "128m"), self.status(server, "129m")), (200, 422))
        self.ceiling("96m")
        server.process.send_signal(signal.SIGHUP)
        self.assertTrue(wait_until(lambda: self.status(server, "128m") == 422, 30), "it is less")
        self.ceiling("256m", requests_per_minute=1)
        server.process.send_signal(signal.SIGHUP)
        self.assertTrue(wait_until(lambda: self.status(server, "64m") == 429, 30), "and quotas")
        self.ceiling("256m")
        server.process.send_signal(signal.SIGHUP)
        self.assertTrue(wait_until(lambda: self.status(server, "256m") == 200, 30), "it is more")
        said = len(server.said)
        for text in ('{"limits": {"memory": "64t"}}', "{", '{"nothing": 1}'):
            self.config(text, "ceiling.json")
            server.process.send_signal(signal.SIGHUP)
            self.assertTrue(wait_until(lambda: "ceiling.json" in "".join(server.said[said:]), 30), "it says so")
            said = len(server.said)
            self.assertEqual((self.status(server, "256m"), self.status(server, "257m")), (200, 422), "the old one holds")

    def test_keys_below_it(self) -> None:
        """One that is looser than the new one: neither changes."""
        keys = self.folder / "keys"
        tight = self.config({"limits": {"memory": "100m"}}, "tight.json")
        made = [glovebox("serve", "key", "add", "a", "--keys", keys, "--ceiling", tight), glovebox("serve", "key", "add", "b", "--keys", keys)]
        first, second = [{"Authorization": f"Bearer {result.out.strip()}"} for result in made]
        server = self.start_server("--keys", str(keys), "--ceiling", self.ceiling("200m"), "--memory", "32m").wait_ready()
        self.assertEqual((self.status(server, "101m", **first), self.status(server, "200m", **second)), (422, 200))
        self.ceiling("150m")
        server.process.send_signal(signal.SIGHUP)
        self.assertTrue(wait_until(lambda: self.status(server, "200m", **second) == 422, 30), "it is less")
        self.assertEqual(self.status(server, "100m", **first), 200)
        said = len(server.said)
        self.ceiling("50m")
        server.process.send_signal(signal.SIGHUP)
        self.assertTrue(wait_until(lambda: re.search(message("setting_ceiling_refuse"), "".join(server.said[said:])), 30), server.said)
        self.assertEqual((self.status(server, "100m", **first), self.status(server, "150m", **second)), (200, 200))
