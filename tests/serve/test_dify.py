"""--face dify: the API of Dify's sandbox, asked as Dify's own caller asks it, on an address beside the server's."""

import base64
import hashlib
import json
import shutil
import socket
import threading
from http import client
from typing import Any

from support.faces import connect, face_of
from support.messages import message, sentence
from support.run import glovebox
from support.serve import AS_ROOT, JSON, Reply, ServeCase, Server, add_key, certificate, take
from support.times import wait_until

FLAGS = ("--face", "dify=127.0.0.1:0")
TAG = "<<RESULT>>"
PYTHON = """{code}
import json
from base64 import b64decode
inputs_obj = json.loads(b64decode('{inputs}').decode('utf-8'))
output_obj = main(**inputs_obj)
output_json = json.dumps(output_obj, indent=4)
result = f'''<<RESULT>>{{output_json}}<<RESULT>>'''
print(result)
"""
NODE = """{code}
var inputs_obj = JSON.parse(Buffer.from('{inputs}', 'base64').toString('utf-8'))
var output_obj = main(inputs_obj)
var output_json = JSON.stringify(output_obj)
var result = `<<RESULT>>${{output_json}}<<RESULT>>`
console.log(result)
"""
WAITS = "import time; print('began', flush=True); time.sleep(3600)"


def dify_of(server: Server) -> str:
    """Where a server has it: host and port."""
    return face_of(server, "dify").removeprefix("http://")


def ask(server: Server, method: str, path: str, body: Any = None, **headers: str) -> Reply:
    """One request to it."""
    connection = connect(server, "dify")
    sent = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    connection.request(method, path, sent, {**(JSON if body is not None else {}), **{name.replace("_", "-"): value for name, value in headers.items()}})
    try:
        return take(connection)
    finally:
        connection.close()


class DifyCase(ServeCase):
    """A server that has it."""

    flags = FLAGS

    def run_code(self, code: str, language: str = "python3", server: Server | None = None, **more: Any) -> Reply:
        """As Dify asks."""
        headers = {"X_Api_Key": more.pop("key")} if "key" in more else {}
        body = {"language": language, "code": code, "preload": "", "enable_network": True, **more}
        return ask(server or self.server, "POST", "/v1/sandbox/run", body, **headers)

    def data(self, reply: Reply) -> dict[str, Any]:
        """What a run has printed, and why its node fails."""
        self.assertEqual((reply.status, reply.json["code"], reply.json["message"]), (200, 0, "success"), reply)
        self.assertEqual(sorted(reply.json["data"]), ["error", "exit_code", "stderr", "stdout"])
        return reply.json["data"]


class Runs(DifyCase):
    """POST /v1/sandbox/run."""

    def node(self, template: str, language: str, code: str, **inputs: Any) -> Any:
        """What Dify takes out of a code node's output."""
        text = template.format(code=code, inputs=base64.b64encode(json.dumps(inputs).encode()).decode())
        data = self.data(self.run_code(text, language))
        self.assertEqual(data["error"], "")
        return json.loads(data["stdout"].split(TAG)[1])

    def test_a_code_node(self) -> None:
        code = "def main(a: int, b: str) -> dict:\n    return {'sum': a + 2, 'text': b.upper()}"
        self.assertEqual(self.node(PYTHON, "python3", code, a=40, b="müß"), {"sum": 42, "text": "MÜSS"})

    def test_a_code_node_of_javascript(self) -> None:
        if not shutil.which("node", path="/usr/bin:/bin"):
            self.skipTest("cannot: this machine's /usr has no node, so its image has none")
        code = "function main({a, b}) { return {sum: a + 2, text: b.toUpperCase()} }"
        self.assertEqual(self.node(NODE, "nodejs", code, a=40, b="x"), {"sum": 42, "text": "X"})

    def test_preload_comes_first(self) -> None:
        self.assertEqual(self.data(self.run_code("print(x)", preload="x = 3"))["stdout"], "3\n")

    def test_lines_of_a_traceback_are_those_of_the_code(self) -> None:
        data = self.data(self.run_code("\n1 / 0"))
        self.assertIn("line 2", data["error"])
        self.assertEqual((data["exit_code"], data["stderr"]), (1, data["error"]))

    def test_what_is_no_error(self) -> None:
        data = self.data(self.run_code("import sys; print('careful', file=sys.stderr); print('done'); 'a value'"))
        self.assertEqual(data, {"stdout": "done\n", "stderr": "careful\n", "error": "", "exit_code": 0})

    def test_what_is_an_error(self) -> None:
        for code, said in (
            ("raise SystemExit(3)", sentence("dify_put_error#4", 3)),
            ("print('x' * 30_000_000)", sentence("dify_put_error#3", 1000000)),
            ("import os; os.kill(os.getpid(), 15)", sentence("dify_put_error#5", "signalled")),
        ):
            with self.subTest(code):
                self.assertEqual(self.data(self.run_code(code))["error"], said)
        self.assertIn("memory", self.data(self.run_code("x = bytearray(4 << 30); x[::4096] = x[::4096]"))["error"].lower())

    def test_a_limit_of_time(self) -> None:
        server = self.start_server(*FLAGS, "--max-timeout", "300").wait_ready()
        self.assertEqual(self.data(self.run_code(WAITS, server=server))["error"], sentence("dify_put_error#1", 0.3))

    def test_each_has_a_cell_of_its_own(self) -> None:
        self.data(self.run_code("open('kept', 'w')"))
        self.assertEqual(self.data(self.run_code("import os; print(os.listdir())"))["stdout"], "['__main__.py']\n")

    def test_there_is_no_network(self) -> None:
        self.assertIn("OSError", self.data(self.run_code("import socket; socket.create_connection(('1.1.1.1', 80), 2)"))["error"])

    def test_a_body_that_is_wrong(self) -> None:
        for body in (b"{", b"[]", {"code": "1"}, {"language": "python3"}, {"language": 3, "code": "1"}, {"language": "python3", "code": ["1"]}):
            with self.subTest(body):
                reply = ask(self.server, "POST", "/v1/sandbox/run", body)
                self.assertEqual((reply.status, reply.json["code"], reply.json["data"]), (200, -400, None), reply)

    def test_a_language_that_is_none(self) -> None:
        reply = self.run_code("1", "ruby")
        self.assertEqual((reply.status, reply.json), (400, {"code": -400, "message": sentence("dify_read#2"), "data": None}))

    def test_no_place(self) -> None:
        server = self.start_server(*FLAGS, "--max-runs", "1", "--queue", "0s", "--drain", "0s").wait_ready()
        first = threading.Thread(target=self.run_code, args=(WAITS,), kwargs={"server": server})
        first.start()
        self.assertTrue(wait_until(lambda: server.get("/v1/executions").json["running"]))
        reply = self.run_code("1", server=server)
        self.assertEqual((reply.status, reply.json["code"]), (503, -503), reply)
        server.stop()
        first.join()

    def test_a_client_that_leaves(self) -> None:
        host, port = dify_of(self.server).split(":")
        body = json.dumps({"language": "python3", "code": WAITS}).encode()
        with socket.create_connection((host, int(port))) as stream:
            head = f"POST /v1/sandbox/run HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            stream.sendall(head.encode() + body)
            self.assertTrue(wait_until(lambda: self.server.get("/v1/executions").json["running"]))
        self.assertTrue(wait_until(lambda: not self.server.get("/v1/executions").json["running"]))


class Audit(DifyCase):
    """What ran is in the audit, in either language."""

    def test_it_names_the_code(self) -> None:
        audit = self.folder / "audit"
        server = self.start_server(*FLAGS, "--audit", str(audit)).wait_ready()
        for language, preload, code in (("python3", "x = 1", "print(x)"), ("nodejs", "", "console.log(1)"), ("nodejs", "", "console.log(2)")):
            self.data(self.run_code(code, language, server, preload=preload))
        lines = [line for line in map(json.loads, audit.read_text().splitlines()) if "operation" in line]
        self.assertEqual([line["operation"] for line in lines], ["dify"] * 3)
        wanted = [hashlib.sha256(text).hexdigest() for text in (b"x = 1\nprint(x)", b"console.log(1)", b"console.log(2)")]
        self.assertEqual([line["code_sha256"] for line in lines], wanted)


class Beside(DifyCase):
    """Its other routes, and what it has of the server."""

    def test_health(self) -> None:
        reply = ask(self.server, "GET", "/health")
        self.assertEqual((reply.status, reply.json), (200, self.server.get("/ready").json))

    def test_dependencies(self) -> None:
        for path in ("/v1/sandbox/dependencies?language=python3", "/v1/sandbox/dependencies/refresh"):
            reply = ask(self.server, "GET", path).json
            self.assertEqual(reply["data"]["dependencies"], self.server.get("/v1").json["packages"])
        self.assertEqual(ask(self.server, "POST", "/v1/sandbox/dependencies/update", {}).json["code"], -400)

    def test_the_server_names_it(self) -> None:
        self.assertEqual(self.server.get("/v1").json["faces"], [{"name": "dify", "address": face_of(self.server, "dify")}])
        self.assertEqual(self.start_server().wait_ready().get("/v1").json["faces"], [])

    def test_no_route_of_the_server_is_there_and_none_of_its_own_here(self) -> None:
        reply = ask(self.server, "POST", "/v1/execute", {"code": "1"})
        self.assertEqual((reply.status, reply.json["code"]), (404, -400))
        self.assertEqual(self.server.post("/v1/sandbox/run", {}).status, 404)

    def test_metrics(self) -> None:
        ask(self.server, "GET", "/health")
        self.assertIn(b'{face="dify",method="GET",route="/health",class="2xx"}', self.server.get("/metrics").body)


class Keys(DifyCase):
    """Keys, ceilings, hosts and addresses."""

    def test_a_key(self) -> None:
        keys = self.folder / "keys.json"
        token = add_key(keys, "dify")
        server = self.start_server(*FLAGS, "--keys", str(keys))
        for headers in ({}, {"X_Api_Key": "dify-sandbox"}, {"X_Api_Key": token + "x"}, {"X_Api_Key": token, "Authorization": "Bearer no"}):
            self.assertEqual(ask(server, "POST", "/v1/sandbox/run", {"language": "python3", "code": "1"}, **headers).status, 401, headers)
        self.assertTrue(wait_until(lambda: self.run_code("print(1)", server=server, key=token).status == 200))
        self.assertEqual(ask(server, "POST", "/v1/sandbox/run", {"language": "python3", "code": "1"}, Authorization=f"Bearer {token}").status, 200)
        self.assertEqual(ask(server, "GET", "/health").status, 200)
        self.assertNotIn(token, "\n".join(server.said))

    def test_two_keys_are_refused(self) -> None:
        host, port = dify_of(self.server).split(":")
        with socket.create_connection((host, int(port))) as stream:
            stream.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: a\r\nX-Api-Key: b\r\n\r\n")
            self.assertIn(b" 400 ", stream.recv(1000).split(b"\r\n")[0])

    def test_a_host_of_elsewhere(self) -> None:
        self.assertEqual(ask(self.server, "GET", "/health", Host="evil.example").status, 403)
        server = self.start_server(*FLAGS, "--allow-host", "host.docker.internal").wait_ready()
        self.assertEqual(ask(server, "GET", "/health", Host="host.docker.internal:8194").status, 200)

    def test_an_address_that_others_reach_needs_keys(self) -> None:
        said = glovebox("serve", "--image", "host", "--listen", "127.0.0.1:0", "--face", "dify=0.0.0.0:0", *AS_ROOT)
        self.assert_refused(said, message("addresses_add#2", "--face dify=0.0.0.0:0"))

    def test_rules_of_hosts_are_those_of_each_address(self) -> None:
        keys = self.folder / "keys.json"
        add_key(keys, "dify")
        server = self.start_server("--face", "dify=0.0.0.0:0", "--keys", str(keys)).wait_ready()
        port = dify_of(server).split(":")[1]
        connection = client.HTTPConnection("127.0.0.1", int(port), timeout=60)
        connection.request("GET", "/health", headers={"Host": "dify.example"})
        self.assertEqual(take(connection).status, 200)
        self.assertEqual(server.get("/health", Host="dify.example").status, 403)

    def test_tls(self) -> None:
        cert, key = certificate(self.folder)
        server = self.start_server(*FLAGS, "--tls-cert", str(cert), "--tls-key", str(key))
        self.assertRegex(face_of(server, "dify"), r"\Ahttps://127")

    def test_flags_that_are_refused(self) -> None:
        for text in ("dify", "cloud=127.0.0.1:0", "=127.0.0.1:0", "dify=", "dify=nowhere", "dify=name.example:1"):
            with self.subTest(text):
                self.assert_refused(glovebox("serve", "--image", "host", "--listen", "127.0.0.1:0", "--face", text, *AS_ROOT), "--face")
        again = glovebox("serve", "--image", "host", "--listen", "127.0.0.1:0", "--face", f"dify={dify_of(self.server)}", *AS_ROOT)
        self.assert_refused(again, message("listen_bind#2"))

    def test_a_drain(self) -> None:
        server = self.start_server(*FLAGS).wait_ready()
        found: list[Reply] = []
        slow = "import time; print('began', flush=True); time.sleep(1); print('done')"
        thread = threading.Thread(target=lambda: found.append(self.run_code(slow, server=server)))
        thread.start()
        self.assertTrue(wait_until(lambda: server.get("/v1/executions").json["running"]))
        self.assertEqual(server.stop(), 0)
        thread.join()
        self.assertEqual(self.data(found[0])["stdout"], "began\ndone\n")
