"""Idempotency-Key: the same request again gets the same reply, and nothing runs twice."""

import contextlib
import json
from typing import Any

from support.serve import JSON, Reply, ServeCase, Server, add_key
from support.times import wait_until

RANDOM = "import os; print(os.urandom(16).hex())"


class Idempotency(ServeCase):
    """On /v1/execute."""

    def ask(self, key: str, code: str = RANDOM, server: Server | None = None, **more: Any) -> Reply:
        """Run a program under a key."""
        body = json.dumps({"code": code, "timeout_ms": 30000})
        return (server or self.server).post("/v1/execute", body, Idempotency_Key=key, **more)

    def test_the_same_again(self) -> None:
        first, second, other = self.ask("same"), self.ask("same"), self.ask("other")
        self.assertEqual((first.status, first.headers["Idempotent-Replayed"]), (200, None))
        self.assertEqual((second.status, second.headers["Idempotent-Replayed"]), (200, "true"))
        self.assertEqual(first.body, second.body)
        self.assertNotEqual(first.json["stdout"], other.json["stdout"])
        self.assertNotEqual(first.headers["X-Request-ID"], second.headers["X-Request-ID"])

    def test_without_a_key_it_runs_again(self) -> None:
        self.assertNotEqual(self.execute(RANDOM)["stdout"], self.execute(RANDOM)["stdout"])

    def test_another_body(self) -> None:
        self.ask("body")
        self.assertEqual(self.ask("body", "print(2)").status, 422)

    def test_a_program_that_failed_is_a_result(self) -> None:
        code = RANDOM + "; raise SystemExit(3)"
        self.assertEqual(self.ask("failed", code).body, self.ask("failed", code).body)

    def test_what_was_refused_has_not_run(self) -> None:
        bad = {"code": "1", "timeout_ms": 10**9}
        for _ in range(2):
            reply = self.server.post("/v1/execute", bad, Idempotency_Key="refused")
            self.assertEqual((reply.status, reply.headers["Idempotent-Replayed"]), (422, None))
            self.assertIn("timeout_ms", str(reply.detail))
        self.assertEqual(self.ask("refused").status, 200)

    def test_keys_that_are_none(self) -> None:
        for key in ("", "x" * 256, "a b", "\xff"):
            with self.subTest(key=key):
                self.assertEqual(self.ask(key).status, 422)
        self.assertEqual(self.ask("x" * 255).status, 200)

    def test_streams_have_none(self) -> None:
        self.assertEqual(self.server.post("/v1/execute/stream", {"code": "1"}, Idempotency_Key="x").status, 422)

    def test_one_that_runs_and_one_whose_client_left(self) -> None:
        code = "import time; time.sleep(3600)"
        with contextlib.closing(self.server.connection()) as client:
            client.request("POST", "/v1/execute", json.dumps({"code": code, "timeout_ms": 30000}), JSON | {"Idempotency-Key": "runs"})
            self.assertTrue(wait_until(lambda: b"\nglovebox_runs_running 1\n" in self.server.get("/metrics").body))
            reply = self.ask("runs", code)
            self.assertEqual((reply.status, reply.headers["Retry-After"]), (409, "1"))
            self.assertEqual(self.ask("runs", "print(2)").status, 422)
        # It was ended for nobody: the key is free.
        self.assertTrue(wait_until(lambda: self.ask("runs", "print(2)").status == 200))

    def test_keys_belong_to_their_owner(self) -> None:
        file = self.folder / "keys.json"
        tokens = [add_key(file, name) for name in ("alice", "bob")]
        server = self.start_server("--keys", str(file)).wait_ready()
        alice, bob = (self.ask("k", server=server, Authorization=f"Bearer {token}") for token in tokens)
        self.assertEqual((alice.status, bob.status), (200, 200))
        self.assertNotEqual(alice.json["stdout"], bob.json["stdout"])
        again = self.ask("k", server=server, Authorization=f"Bearer {tokens[0]}")
        self.assertEqual(again.body, alice.body)
