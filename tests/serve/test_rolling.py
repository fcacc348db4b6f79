"""An update behind HAProxy, one node after the other, as tools/deploy/nomad asks for it; and each time they move."""

import contextlib
import http.client
import json
import os
import signal
import subprocess
from collections.abc import Iterator

from support.haproxy import CONFIGURATION, ProxyCase, nodes
from support.serve import JSON, Stream, form
from support.times import DEADLINE, wait_until

SLOW = "import time; print('begun', flush=True); time.sleep(2); print('ended')"


class Rolling(ProxyCase):
    """Nodes that come back elsewhere, and a proxy that is told so."""

    def start_proxy(self) -> None:
        """Start it as the job does."""
        self.admin = self.folder / "admin.sock"
        self.where = self.folder / "nodes.cfg"
        self.known = {label: f"127.0.0.1:{node.port}" for label, node in self.nodes.items()}
        self.where.write_text(nodes(self.known))
        env = os.environ | {"GLOVEBOX_BIND": f"127.0.0.1:{self.port}", "GLOVEBOX_ADMIN": str(self.admin)}
        command = ["haproxy", "-W", "-db", "-q", "-f", self.where, "-f", CONFIGURATION]
        self.proxy = subprocess.Popen(command, env=env)
        self.addCleanup(self.proxy.wait)
        self.addCleanup(self.proxy.terminate)
        self.assertTrue(wait_until(lambda: self.states() == {"a": "UP", "b": "UP"}), self.states())

    def tell(self) -> None:
        """Reload it, as Nomad does when a service comes or goes."""
        self.where.write_text(nodes(self.known))
        self.proxy.send_signal(signal.SIGUSR2)
        wanted = {label: self.known.get(label, "127.0.0.1:1") for label in "ab"}
        self.assertTrue(wait_until(lambda: self.read_stat("addr") == wanted), self.read_stat("addr"))

    @contextlib.contextmanager
    def runs_on(self, label: str) -> Iterator[None]:
        """Have a program run there when the block begins, which ends as if nothing was."""
        client = next(client for client in self.clients if client.node == label)
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE)) as connection:
            headers = JSON | {"Authorization": f"Bearer {client.token}"}
            connection.request("POST", "/v1/execute/stream", json.dumps({"code": SLOW, "timeout_ms": 30000}), headers)
            events = iter(Stream(connection.getresponse()))
            self.assertEqual(next(events)[0], "output", "it has begun")
            yield
            (kind, result) = list(events)[-1]
        self.assertEqual((kind, result["exit_code"]), ("result", 0))

    def replace(self, label: str) -> None:
        """Do what Nomad does with an allocation, in its order."""
        old = self.nodes[label]
        del self.known[label]
        self.tell()
        self.assertEqual(old.stop(), 0)
        self.assertTrue(wait_until(lambda: not old.family()), old.family())
        self.nodes[label] = self.start_node(label, folder=old.folder)
        self.known[label] = f"127.0.0.1:{self.nodes[label].port}"
        self.tell()
        self.assertTrue(wait_until(lambda: self.states() == {"a": "UP", "b": "UP"}), self.states())

    def test_nothing_is_lost_but_sessions(self) -> None:
        """Each program has run, and whoever called a session that has ended is told so; files are where they were."""
        uploads = []
        for client in self.clients:
            body, kind = form("x", client.token.encode())
            uploads.append((client, client.ask("POST", "/v1/files", body, kind).json["file_id"]))
        with self.load():
            for label in "ab":
                with self.runs_on(label):
                    self.replace(label)
                self.everybody_runs()
        self.assertLessEqual(set(self.statuses("run", "a", "b")), {200, 503})
        calls = self.statuses("call", "a", "b")
        self.assertLessEqual(set(calls), {200, 404, 503})
        self.assertGreater(calls[404], 0, "they are told")
        for client, id_ in uploads:
            self.assertEqual(client.ask("GET", f"/v1/files/{id_}").body, client.token.encode())
            self.assertEqual(client.ask("POST", f"/v1/sessions/{client.session}/python", {"code": "1"}).status, 404)
            self.assertEqual(client.ask("POST", "/v1/sessions", {}).status, 201)
