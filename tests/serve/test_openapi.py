"""/openapi.json: it says what there is, and what is answered is what it says."""

import contextlib
import json
import re
from functools import cached_property
from typing import Any

from support.openapi import KNOWN, Document
from support.run import ROOT
from support.serve import JSON, Reply, ServeCase, take

MISSING = "00000000-0000-4000-8000-000000000000"
ROUTE = re.compile(r'^\t\{"([A-Z]+)", "([^"]+)"', re.MULTILINE)


class OpenApi(ServeCase):
    """One document about one server."""

    flags = ("--max-file", "1", "--max-output", "1000")

    @cached_property
    def api(self) -> Document:
        """Return what the server says about itself."""
        return Document(self.server.get("/openapi.json").json)

    def fits(self, reply: Reply, method: str, path: str, status: int) -> Any:
        """Assert that a reply is as documented; return its body."""
        self.assertEqual(reply.status, status, reply)
        said = self.api.response(method, path, status)
        ((kind, media),) = said.get("content", {None: {}}).items()
        self.assertEqual(reply.headers["Content-Type"], kind)
        self.assertEqual({name for name in said.get("headers", {}) if name not in reply.headers}, set())
        if kind != "application/json":
            return reply.body
        self.assertEqual(self.api.faults(reply.json, media["schema"]), [])
        return reply.json

    def nodes(self, node: Any, where: str = "") -> Any:
        """Yield every object of the document, with its place."""
        if isinstance(node, dict):
            yield where, node
        children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
        for key, child in children:
            yield from self.nodes(child, f"{where}/{key}")

    # -- the document

    def test_it_has_our_version(self) -> None:
        said = self.server.get("/openapi.json")
        self.assertEqual((said.status, said.headers["Content-Type"]), (200, "application/json"))
        self.assertEqual(said.json["info"]["version"], self.server.get("/health").json["glovebox_version"])
        self.assertNotIn(b"@VERSION@", said.body)

    def test_routes_are_those_of_the_server(self) -> None:
        routes = set(ROUTE.findall((ROOT / "runtime/serve/routes.c").read_text()))
        paths = {(method, re.sub(r"\{\w+\}", "*", path.replace("{path}", "**"))) for method, path, _ in self.api.operations()}
        self.assertEqual(paths, routes)

    def test_names_are_unique_and_lead_somewhere(self) -> None:
        names = [operation["operationId"] for _, _, operation in self.api.operations()]
        self.assertEqual(len(names), len(set(names)))
        used = set()
        for where, node in self.nodes(self.api.document):
            if "$ref" in node:
                with self.subTest(where=where):
                    used.add(node["$ref"])
                    self.assertTrue(self.api.follow(node))
        schemes = {f"#/components/securitySchemes/{name}" for way in self.api.document["security"] for name in way}
        for kind, members in self.api.document["components"].items():
            there = {f"#/components/{kind}/{name}" for name in members}
            self.assertEqual(there - used - schemes, set())

    def test_schemas_say_only_what_the_test_understands(self) -> None:
        for where, node in self.nodes(self.api.document["components"]["schemas"]):
            if not where.endswith("/properties") and where and where.count("/") != 0:
                with self.subTest(where=where):
                    self.assertLessEqual(node.keys(), KNOWN)
                    self.assertLessEqual(set(node.get("required", ())), node.get("properties", {}).keys())

    def test_each_operation_says_what_may_go_wrong(self) -> None:
        parameters = {re.sub(r"[{}]", "", part) for _, path, _ in self.api.operations() for part in re.findall(r"\{\w+\}", path)}
        self.assertLessEqual(parameters, {"file_id", "name", "session_id", "path"})
        tags = {tag["name"] for tag in self.api.document["tags"]}
        for method, path, operation in self.api.operations():
            with self.subTest(method=method, path=path):
                self.assertLessEqual(set(operation["tags"]), tags)
                self.assertIn("default", operation["responses"])
                needs_key = "security" not in operation
                self.assertEqual("401" in operation["responses"], needs_key)
                self.assertEqual("429" in operation["responses"], needs_key)
                item = self.api.document["paths"][path].get("parameters", []) + operation.get("parameters", [])
                named = {self.api.follow(one)["name"] for one in item if self.api.follow(one)["in"] == "path"}
                self.assertEqual(named, set(re.findall(r"\{(\w+)\}", path)))

    def test_examples_are_what_they_explain(self) -> None:
        for where, node in self.nodes(self.api.document):
            if "schema" in node and "example" in node:
                with self.subTest(where=where):
                    self.assertEqual(self.api.faults(node["example"], node["schema"]), [])

    # -- what is answered

    def test_runs(self) -> None:
        file_id = self.uploaded("in.txt", b"abc")
        body = {"code": "open('out.txt', 'w').write('x')\nprint('é')\n1/0", "files": [{"path": "in.txt", "file_id": file_id}]}
        (sent,) = self.api.document["components"]["requestBodies"]["Program"]["content"].values()
        for one in (body, {"code": "while True: pass", "timeout_ms": 200}, {"code": "print('x' * 2000)"}, {"code": "import os; os.kill(os.getpid(), 9)"}):
            with self.subTest(body=one):
                self.assertEqual(self.api.faults(one, sent["schema"]), [])
                self.fits(self.server.post("/v1/execute", one), "POST", "/v1/execute", 200)

    def test_streams(self) -> None:
        (media,) = self.api.response("POST", "/v1/execute/stream", 200)["content"].values()
        with self.server.stream(code="print(1)\nopen('x', 'w').write('x')", timeout_ms=30000) as stream:
            events = list(stream)
        self.assertEqual({name for name, _ in events}, {"output", "result"})
        for name, data in events:
            self.assertEqual(self.api.faults(data, media["x-events"][name]), [])

    def test_refusals(self) -> None:
        def run(path: str, body: Any) -> Reply:
            return self.server.post(path, body)

        for path in ("/v1/execute", "/v1/execute/stream"):
            for body in ({}, {"code": 1, "timeout_ms": 0, "files": [{}]}, b"{", b"[]", {"code": "1", "timeout_ms": 10**9}, {"code": "1", "limits": {"memory": "1t"}}):
                with self.subTest(path=path, body=body):
                    self.fits(run(path, body), "POST", path, 422)
            self.fits(run(path, {"code": "1", "files": [{"path": "a", "file_id": MISSING}]}), "POST", path, 404)
            with contextlib.closing(self.server.connection()) as client:
                client.putrequest("POST", path)
                client.putheader("Content-Length", str(17 << 20))
                client.endheaders()
                self.fits(take(client), "POST", path, 413)
        self.fits(self.server.ask("PUT", "/v1/execute"), "POST", "/v1/execute", 405)
        self.fits(self.server.ask("POST", "/v1/execute", b"{}", {"Origin": "http://example.org"}), "POST", "/v1/execute", 403)

    def test_about(self) -> None:
        told = self.fits(self.server.get("/v1"), "GET", "/v1", 200)
        self.assertEqual(told["image"], "host:latest")

    def test_files(self) -> None:
        one = "/v1/files/{file_id}"
        made = self.fits(self.server.upload("a/b.txt", b"abc"), "POST", "/v1/files", 201)
        self.fits(self.server.get("/v1/files"), "GET", "/v1/files", 200)
        where = f"/v1/files/{made['file_id']}"
        self.assertEqual(self.fits(self.server.get(where), "GET", one, 200), b"abc")
        self.fits(self.server.delete(where), "DELETE", one, 204)
        self.fits(self.server.delete(where), "DELETE", one, 404)
        self.fits(self.server.get(where), "GET", one, 404)
        self.fits(self.server.post("/v1/files", {}), "POST", "/v1/files", 422)
        self.fits(self.server.upload("large", b"x" * (2 << 20)), "POST", "/v1/files", 413)

    def test_sessions(self) -> None:
        every, one = "/v1/sessions", "/v1/sessions/{session_id}"
        made = self.fits(self.server.post(every, {"files": [{"path": "a", "file_id": self.uploaded("a", b"abc")}]}), "POST", every, 201)
        self.fits(self.server.post(every, {"ttl_seconds": 0}), "POST", every, 422)
        self.fits(self.server.post(every, {"files": [{"path": "a", "file_id": MISSING}]}), "POST", every, 404)
        self.fits(self.server.get(every), "GET", every, 200)
        at = f"{every}/{made['session_id']}"
        for code in ("6 * 7", "1 / 0", "display({'a': 1})", "while True: pass", "print('x' * 2000)"):
            with self.subTest(code=code):
                self.fits(self.server.post(f"{at}/python", {"code": code, "timeout_ms": 500}), "POST", f"{one}/python", 200)
        (media,) = self.api.response("POST", f"{one}/python/stream", 200)["content"].values()
        for code in ("print(1); display(2); 6 * 7", "1 / 0"):
            with self.server.stream(f"{at}/python/stream", code=code) as stream:
                for name, data in stream:
                    self.assertEqual(self.api.faults(data, media["x-events"][name]), [])
        self.fits(self.server.ask("PATCH", at, {"ttl_seconds": 60}), "PATCH", one, 200)
        self.fits(self.server.ask("PATCH", at, {}), "PATCH", one, 422)
        self.fits(self.server.post(f"{at}/interrupt", {}), "POST", f"{one}/interrupt", 409)
        self.fits(self.server.post(f"/v1/sessions/{MISSING}/interrupt", {}), "POST", f"{one}/interrupt", 404)
        for command in ("echo $((6 * 7))", "exit 3", "kill -9 $$", "sleep 100"):
            with self.subTest(command=command):
                self.fits(self.server.post(f"{at}/bash", {"cmd": command, "timeout_ms": 500}), "POST", f"{one}/bash", 200)
        for action, status in (("checkpoint", 200), ("checkpoint", 422), ("rollback", 200)):
            self.fits(self.server.post(f"{at}/{action}", {"name": "a"}), "POST", f"{one}/{action}", status)
        self.fits(self.server.post(f"{at}/freeze", {}), "POST", f"{one}/freeze", 200)
        self.fits(self.server.post(f"{at}/python", {}), "POST", f"{one}/python", 422)
        self.fits(self.server.post(f"{at}/bash", {}), "POST", f"{one}/bash", 422)
        self.fits(self.server.delete(at), "DELETE", one, 204)
        self.fits(self.server.delete(at), "DELETE", one, 404)
        self.fits(self.server.post(f"{at}/python", {"code": "1"}), "POST", f"{one}/python", 404)

    def test_files_of_sessions(self) -> None:
        session = self.server.post("/v1/sessions", {}).json["session_id"]
        every, one = "/v1/sessions/{session_id}/files", "/v1/sessions/{session_id}/files/{path}"
        at = every.format(session_id=session)
        self.fits(self.server.ask("PUT", f"{at}/a/b%2Fc.txt", b"abc"), "PUT", one, 201)
        self.server.post(f"/v1/sessions/{session}/bash", {"cmd": r"ln -s a/b link; touch $'\xff'; mkfifo pipe"})
        self.assertEqual(len(self.fits(self.server.get(at), "GET", every, 200)["files"]), 6)
        self.assertEqual(self.fits(self.server.get(f"{at}/a/b/c.txt"), "GET", one, 200), b"abc")
        self.fits(self.server.get(f"{at}/nothing"), "GET", one, 404)
        self.fits(self.server.get(at + ".tar"), "GET", every + ".tar", 200)
        self.fits(self.server.get(f"/v1/sessions/{MISSING}/files.tar"), "GET", every + ".tar", 404)
        self.fits(self.server.ask("PUT", f"{at}/large", b"x" * (2 << 20)), "PUT", one, 413)
        self.fits(self.server.get(f"{at}/..%2F..%2Fetc%2Fpasswd"), "GET", one, 422)
        self.fits(self.server.delete(f"{at}/a"), "DELETE", one, 204)
        self.fits(self.server.delete(f"/v1/sessions/{session}"), "DELETE", "/v1/sessions/{session_id}", 204)
        self.fits(self.server.get(at), "GET", every, 404)

    def test_executions(self) -> None:
        self.execute("print(1)")
        self.server.delete("/v1/sessions/" + self.server.post("/v1/sessions", {}).json["session_id"])
        with self.server.stream(code="import time; print(1, flush=True); time.sleep(60)", timeout_ms=60000) as stream:
            next(iter(stream))
            said = self.fits(self.server.get("/v1/executions"), "GET", "/v1/executions", 200)
        self.assertTrue(said["running"] and len(said["recent"]) >= 2)

    def test_mcp(self) -> None:
        post = self.api.document["paths"]["/mcp"]["post"]
        (sent,) = post["requestBody"]["content"].values()
        for method, status, version in (("ping", 200, None), ("nothing", 200, None), ("ping", 400, "2099-01-01")):
            body = {"jsonrpc": "2.0", "id": 1, "method": method}
            self.assertEqual(self.api.faults(body, sent["schema"]), [])
            headers = JSON | ({"MCP-Protocol-Version": version} if version else {})
            reply = self.server.ask("POST", "/mcp", body, headers)
            self.assertEqual(reply.status, status)
            self.assertEqual(self.api.faults(reply.json, post["responses"][str(status)]["content"]["application/json"]["schema"]), [])
        self.fits(self.server.ask("POST", "/mcp", b"{}"), "POST", "/mcp", 415)
        self.fits(self.server.post("/mcp", {}, Accept="text/html"), "POST", "/mcp", 406)
        self.assertEqual(self.server.post("/mcp", {"jsonrpc": "2.0", "method": "x"}).status, 202)

    def test_metrics(self) -> None:
        self.fits(self.server.get("/metrics"), "GET", "/metrics", 200)

    def test_health(self) -> None:
        self.fits(self.server.get("/health"), "GET", "/health", 200)
        self.fits(self.server.get("/ready"), "GET", "/ready", 200)

    def test_overload_and_keys(self) -> None:
        server = self.start_server("--max-runs", "1", "--queue", "1ms").wait_ready()
        with server.stream(code="import time; print(1, flush=True); time.sleep(60)", timeout_ms=60000) as stream:
            next(iter(stream))
            self.fits(server.post("/v1/execute", {"code": "1"}), "POST", "/v1/execute", 429)
            self.fits(server.post("/v1/execute/stream", {"code": "1"}), "POST", "/v1/execute/stream", 429)
        keys = self.file("keys.json", json.dumps({"keys": []}))
        keys.chmod(0o600)
        locked = self.start_server("--keys", str(keys))
        for method, path, operation in self.api.operations():
            if "security" not in operation:
                with self.subTest(method=method, path=path):
                    reply = locked.ask(method, re.sub(r"\{\w+\}", "x", path))
                    self.fits(reply, method, path, 401)
