"""The `egress` member of requests: a network within the key's ceiling, in an Internet of the test's own."""

import json
import signal
from typing import Any

from support.faces import connect
from support.messages import message, sentence
from support.outside import OutsideCase
from support.run import glovebox
from support.serve import AS_ROOT, JSON, Server, add_key, take
from support.times import wait_until

HERE, THERE = "93.184.216.34", "93.184.216.35"
GET = """
import urllib.request
for name in ("api.example", "other.example"):
    try:
        print(urllib.request.urlopen(f"http://{name}/", timeout=20).status)
    except OSError:
        print("no")
"""
BOTH, FIRST, NEITHER = "200\n200\n", "200\nno\n", "no\nno\n"


class Reach(OutsideCase):
    """Runs, sessions, Dify and MCP."""

    names = {"api.example": [HERE], "other.example": [THERE]}  # noqa: RUF012
    servers = ((HERE, 80, "http"), (THERE, 80, "http"))

    def ceiling(self, *hosts: str, name: str = "ceiling") -> str:
        """A file that names hosts."""
        return str(self.file(f"{name}.json", json.dumps({"egress": hosts})))

    def start(self, *flags: str) -> Server:
        """A server there."""
        server = Server(*flags, "--face", f"dify=unix:{self.folder}/dify", below=self.world.inside([]), listen=f"unix:{self.folder}/own")
        self.addCleanup(server.discard)
        return server.wait_ready()

    def reached(self, server: Server, egress: Any = None, **headers: str) -> str:
        """What a run reaches."""
        body = {"code": GET, "timeout_ms": 60000} | ({} if egress is None else {"egress": egress})
        reply = server.post("/v1/execute", body, **headers)
        self.assertEqual((reply.status, reply.json["stderr"]), (200, ""), reply)
        return reply.json["stdout"]

    def refused(self, server: Server, egress: Any, *said: Any, **headers: str) -> None:
        """A run and a session are refused."""
        for path, body in (("/v1/execute", {"code": "1"}), ("/v1/sessions", {})):
            reply = server.post(path, body | {"egress": egress}, **headers)
            self.assertEqual((reply.status, reply.json["detail"]), (422, sentence(*said)), reply)

    def test_runs(self) -> None:
        server = self.start("--ceiling", self.ceiling("api.example:80", "other.example:80"))
        for egress, said in ((None, NEITHER), (False, NEITHER), ([], NEITHER), (True, BOTH), (["api.example:80"], FIRST)):
            with self.subTest(egress):
                self.assertEqual(self.reached(server, egress), said)
        self.refused(server, ["api.example:80", "else.example:80"], "egress_within_refuse#1", "egress", "else.example:80:http")
        self.refused(server, ["api.example"], "egress_within_refuse#1", "egress", "api.example:443:tls")
        self.refused(server, ["pypi"], "egress_list_add_hosts#1", "pypi")
        self.refused(server, ["api.example:80,other.example:80"], "egress_list_add_hosts#1", "api.example:80,other.example:80")
        for wrong in (3, "api.example:80", [3], {"host": "api.example"}):
            self.refused(server, wrong, "terms_reach")

    def test_nothing_is_named(self) -> None:
        server = self.start()
        self.assertEqual(self.reached(server), NEITHER)
        self.refused(server, True, "terms_reach_any")
        self.refused(server, ["api.example:80"], "egress_within_refuse#1", "egress", "api.example:80:http")
        self.assertEqual(self.dify(server), NEITHER)

    def test_sessions(self) -> None:
        server = self.start("--ceiling", self.ceiling("api.example:80"))
        for egress, said in ((True, FIRST), (None, NEITHER)):
            body = {} if egress is None else {"egress": egress}
            session = server.post("/v1/sessions", body).json["session_id"]
            reply = server.post(f"/v1/sessions/{session}/python", {"code": GET, "timeout_ms": 60000})
            self.assertEqual(reply.json["stdout"], said, reply)

    def dify(self, server: Server, *, enable: bool = True) -> str:
        """What a code node reaches."""
        connection = connect(server, "dify")
        connection.request("POST", "/v1/sandbox/run", json.dumps({"language": "python3", "code": GET, "enable_network": enable}), JSON)
        try:
            return take(connection).json["data"]["stdout"]
        finally:
            connection.close()

    def test_dify(self) -> None:
        server = self.start("--ceiling", self.ceiling("api.example:80"))
        self.assertEqual((self.dify(server), self.dify(server, enable=False)), (FIRST, NEITHER))

    def test_mcp(self) -> None:
        server = self.start("--ceiling", self.ceiling("api.example:80", "other.example:80"))
        for query, said in (("", NEITHER), ("?egress=true", BOTH), ("?egress=api.example:80", FIRST)):
            with self.subTest(query):
                message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "execute_python", "arguments": {"code": GET}}}
                reply = server.ask("POST", "/mcp" + query, json.dumps(message).encode(), JSON | {"Accept": "application/json, text/event-stream"})
                self.assertEqual(reply.status, 200, reply)
                self.assertIn(json.dumps(said)[1:-1], reply.body.decode())
        reply = server.ask("POST", "/mcp?egress=else.example:80", json.dumps(message).encode(), JSON)
        self.assertEqual(reply.status, 422, reply)

    def test_keys(self) -> None:
        keys = self.folder / "keys.json"
        first, both = (add_key(keys, name, *flags) for name, flags in (("first", ("--ceiling", self.ceiling("api.example:80"))), ("both", ())))
        everything = self.ceiling("api.example:80", "other.example:80", name="all")
        server = self.start("--keys", str(keys), "--ceiling", everything)
        for token, said in ((first, FIRST), (both, BOTH)):
            self.assertEqual(self.reached(server, True, X_API_Key=token), said)
        self.refused(server, ["other.example:80"], "egress_within_refuse#1", "egress", "other.example:80:http", X_API_Key=first)
        self.ceiling("api.example:80", name="all")
        server.process.send_signal(signal.SIGHUP)
        self.assertTrue(wait_until(lambda: self.reached(server, True, X_API_Key=both) == FIRST))

    def test_ceilings_that_are_refused(self) -> None:
        keys = self.folder / "keys.json"
        add_key(keys, "more", "--ceiling", self.ceiling("other.example:80"))
        flags = ("serve", "--image", "host", "--listen", "127.0.0.1:0", *AS_ROOT)
        self.assert_refused(glovebox(*flags, "--keys", keys, "--ceiling", self.ceiling("api.example:80", name="all")), message("egress_within_refuse#1"))
        self.assert_refused(glovebox(*flags, "--ceiling", self.ceiling("pypi")), message("egress_list_add_hosts#1"))
        self.assert_refused(glovebox(*flags, "--ceiling", self.ceiling("not a host")), "egress")
