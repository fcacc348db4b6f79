"""--face e2b: the API of E2B's clients, asked as they ask it, on an address beside the server's."""

import http.client
import struct
import time
import urllib.parse

from support.e2b import FLAGS, Box, E2bCase, ask
from support.serve import Reply, add_key
from support.times import wait_until

METRICS = {"timestamp", "timestampUnix", "cpuCount", "cpuUsedPct", "memUsed", "memTotal", "memCache", "diskUsed", "diskTotal"}


class Control(E2bCase):
    """/sandboxes."""

    def test_its_life(self) -> None:
        box = self.create(timeout=100, metadata={"a": "b"})
        self.assertRegex(box.id, "^i[0-9a-f]{32}$")
        info = box.control("GET").json
        self.assertEqual((info["state"], info["metadata"], info["templateID"]), ("running", {"a": "b"}, "base"))
        for name in ("startedAt", "endAt", "cpuCount", "memoryMB", "diskSizeMB", "envdVersion", "clientID"):
            self.assertIn(name, info)
        self.assertEqual(box.reach("GET", "/health").status, 204)
        self.assertEqual(box.control("POST", "/timeout", {"timeout": 1000}).status, 204)
        self.assertGreater(box.control("GET").json["endAt"], info["endAt"])
        self.assertEqual((box.control("DELETE").status, box.control("DELETE").status), (204, 404))
        self.assert_error(box.control("GET"), 404, box.id)
        self.assert_gone(box.reach("GET", "/health"))

    def test_its_time_is_over(self) -> None:
        box = self.create(timeout=1)
        wait_until(lambda: box.reach("GET", "/health").status == 502)
        self.assert_gone(box.reach("POST", "/execute", {"code": "1"}))

    def test_a_list(self) -> None:
        boxes = [self.create(metadata={"who": "me & you=é", "n": str(n)}).id for n in range(3)]

        def listed(**query: str) -> Reply:
            return ask(self.server, "GET", "/v2/sandboxes?" + urllib.parse.urlencode(query))

        def of(**pairs: str) -> str:
            quoted = {urllib.parse.quote(key): urllib.parse.quote(value) for key, value in pairs.items()}
            return urllib.parse.urlencode(quoted)

        mine = of(who="me & you=é")
        self.assertEqual([box["sandboxID"] for box in listed(metadata=mine).json], boxes[::-1])
        self.assertEqual([box["sandboxID"] for box in listed(metadata=of(who="me & you=é", n="1")).json], [boxes[1]])
        self.assertEqual(listed(metadata=of(who="you")).json, [])
        self.assertEqual(listed(metadata=mine, state="paused").json, [])
        page = listed(metadata=mine, limit="2")
        self.assertEqual([box["sandboxID"] for box in page.json], boxes[:0:-1])
        rest = listed(metadata=mine, limit="2", nextToken=page.headers["x-next-token"])
        self.assertEqual(([box["sandboxID"] for box in rest.json], rest.headers["x-next-token"]), ([boxes[0]], None))
        self.assertEqual([box["sandboxID"] for box in listed(metadata=mine, order="asc").json], boxes)
        self.assertEqual(listed(metadata=mine, template="other").json, [])
        self.assert_error(listed(limit="x"), 400)
        self.assert_error(listed(startedAfter="2026-01-01T00:00:00Z"), 400)

    def test_a_pause(self) -> None:
        box = self.create()
        box.lines("x = 6")
        self.assertEqual((box.control("POST", "/pause", {}).status, box.control("POST", "/pause", {}).status), (204, 409))
        self.assertEqual(box.control("GET").json["state"], "paused")
        self.assert_gone(box.reach("GET", "/health"))
        self.assert_gone(box.reach("POST", "/execute", {"code": "x"}))
        resumed = ask(self.server, "POST", f"/v2/sandboxes/{box.id}/connect", {"timeout": 60})
        self.assertEqual((resumed.status, resumed.json["envdAccessToken"]), (201, box.token))
        self.assertEqual(box.text("print(x * 7)"), "42\n")
        self.assertEqual(ask(self.server, "POST", f"/v2/sandboxes/{box.id}/connect", {}).status, 200)

    def test_a_connect_never_shortens(self) -> None:
        box = self.create(timeout=600)
        ends = box.control("GET").json["endAt"]
        self.assertEqual(box.control("POST", "/connect", {"timeout": 10}).status, 200)
        self.assertLess(abs(seconds(box.control("GET").json["endAt"]) - seconds(ends)), 60)

    def test_what_is_refused(self) -> None:
        for members, status, word in (
            ({"templateID": "other"}, 404, "other"),
            ({"timeout": -1}, 400, "timeout"),
            ({"timeout": "long"}, 400, "timeout"),
            ({"autoPause": True}, 400, "autoPause"),
            ({"volumeMounts": [{"name": "a"}]}, 400, "volumeMounts"),
            ({"envVars": {"A=B": "c"}}, 400, ""),
            ({"network": {"allowOut": ["example.com"]}}, 400, "example.com"),
            ({"network": {"denyOut": ["0.0.0.0/0"]}}, 400, "denyOut"),
            ({"network": {"allowOut": "all"}}, 400, "allowOut"),
            ({"metadata": ["a"]}, 400, "metadata"),
            ({"metadata": {"a": 1}}, 400, "metadata"),
            ({"templateID": 5}, 400, "templateID"),
            ({"envVars": {f"V{n}": "" for n in range(1000)}}, 400, "variables"),
        ):
            with self.subTest(members):
                self.assert_error(ask(self.server, "POST", "/v2/sandboxes", {"templateID": "base", **members}), status, word)
        self.assert_error(ask(self.server, "POST", "/v2/sandboxes", b"[]"), 400)
        box = self.create()
        for method, tail in (("POST", "/fork"), ("POST", "/snapshots"), ("PUT", "/network")):
            self.assert_error(box.control(method, tail, {}), 501)
        self.assert_error(ask(self.server, "GET", "/nothing"), 404)

    def test_metrics(self) -> None:
        box = self.create()
        self.assertEqual(set(box.control("GET", "/metrics").json[0]), METRICS)
        box.run("python3 -c 'import time\nwhile time.process_time() < 0.3: pass'; head -c 30000000 /dev/zero >f")
        [now] = box.control("GET", "/metrics").json
        self.assertGreaterEqual(now["cpuUsedPct"], 1)
        self.assertGreater(now["memUsed"], 30_000_000)
        self.assertGreater(now["memTotal"], now["memUsed"])
        self.assert_error(ask(self.server, "GET", "/sandboxes/nothing/metrics"), 404)
        box.control("DELETE")
        self.assert_error(box.control("GET", "/metrics"), 404)

    def test_names_of_hosts(self) -> None:
        server = self.start_server(*FLAGS, "--allow-host", ".e2b.test").wait_ready()
        box = self.create(server, headers={"Host": "api.e2b.test:8443"})
        for port, path in (("49983", "/health"), ("49999", "/contexts")):
            reply = ask(server, "GET", path, Host=f"{port}-{box.id}.e2b.test:8443", **{"X-Access-Token": box.token or ""})
            self.assertIn(reply.status, (200, 204), reply)
        self.assert_gone(ask(server, "GET", "/health", Host=f"3000-{box.id}.e2b.test"))
        self.assert_error(ask(server, "GET", "/v2/sandboxes", Host="api.other.test"), 403)


def seconds(text: str) -> float:
    """A time of a reply."""
    return time.mktime(time.strptime(text[:19], "%Y-%m-%dT%H:%M:%S"))


class Keys(E2bCase):
    """Sandboxes of several keys."""

    def test_keys_and_tokens(self) -> None:
        keys = self.folder / "keys.json"
        one, two = ({"X-API-KEY": add_key(keys, name)} for name in ("one", "two"))
        server = self.start_server(*FLAGS, "--keys", str(keys)).wait_ready()
        self.assert_error(ask(server, "POST", "/v2/sandboxes", {"templateID": "base"}), 401)
        self.assert_error(ask(server, "POST", "/v2/sandboxes", {"templateID": "base"}, **{"X-API-KEY": "e2b_0"}), 401)
        mine = self.create(server, headers=one)
        theirs = Box(server, {"sandboxID": mine.id}, **two)
        for method, tail in (("GET", ""), ("DELETE", ""), ("POST", "/timeout"), ("POST", "/pause"), ("POST", "/connect")):
            self.assert_error(theirs.control(method, tail, {}), 404)
        self.assertEqual(ask(server, "GET", "/v2/sandboxes", **two).json, [])
        self.assertEqual([box["sandboxID"] for box in ask(server, "GET", "/v2/sandboxes", **one).json], [mine.id])
        other = self.create(server, headers=two)
        for token in ("", "0" * 64, other.token or ""):
            self.assert_error(Box(server, {"sandboxID": mine.id, "envdAccessToken": token}).reach("POST", "/execute", {"code": "1"}), 401)
        self.assertEqual(mine.text("print(1)"), "1\n")
        traffic = {"E2b-Sandbox-Id": mine.id, "E2B-Traffic-Access-Token": mine.token or ""}
        self.assertEqual(ask(server, "GET", "/contexts", **traffic).status, 200)
        self.assertEqual(mine.control("GET").status, 200)

    def test_the_first_version_gives_no_token_unless_it_is_asked_for(self) -> None:
        plain = self.create(path="/sandboxes")
        self.assertEqual((plain.token, plain.text("print(1)")), (None, "1\n"))
        secure = self.create(path="/sandboxes", secure=True)
        self.assertIsNotNone(secure.token)
        bare = Box(self.server, {"sandboxID": secure.id})
        self.assertEqual(bare.text("print(1)"), "1\n")  # its clients send no token with code
        self.assert_error(bare.reach("GET", "/files?path=x"), 401)
        self.assertEqual(plain.control("DELETE").status, 204)
        self.assert_gone(plain.reach("POST", "/execute", {"code": "1"}))

    def test_ids_that_are_none(self) -> None:
        box = self.create()
        last = "1" if box.id[-1] == "0" else "0"
        for name in ("", "i", box.id[:-1] + last, "code-session-" + box.id[1:], box.id + "x" * 20, "x" * 300):
            with self.subTest(name):
                self.assert_gone(Box(self.server, {"sandboxID": name, "envdAccessToken": box.token}).reach("GET", "/health"))
        self.assertEqual(Box(self.server, {"sandboxID": box.id + "-client", "envdAccessToken": box.token}).reach("GET", "/health").status, 204)

    def test_the_server_lists_its_sandboxes(self) -> None:
        box = self.create()
        listed = [session["session_id"] for session in self.server.get("/v1/sessions").json["sessions"]]
        self.assertIn("code-session-" + box.id[1:], listed)
        self.assertIn(b'face="e2b"', self.server.get("/metrics").body)

    def test_a_server_that_ends_ends_streams(self) -> None:
        server = self.start_server(*FLAGS).wait_ready()
        box = self.create(server)
        with box.start("echo ready; exec sleep 1000") as stream:
            stream.begun().until(b"ready\n")
            self.assertEqual(server.stop(), 0)
            with self.assertRaises((http.client.IncompleteRead, struct.error)):
                stream.close()
