"""cluster - as much of a Kubernetes API as agent-sandbox's client asks: claims, each with a sandbox that is ready."""

import itertools
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

CLAIMS = "/apis/extensions.agents.x-k8s.io/v1beta1/namespaces/"
SANDBOXES = "/apis/agents.x-k8s.io/v1beta1/namespaces/"


class Cluster:
    """Claims by namespace and name; the sandbox of one has the name of its claim, and an address of this machine."""

    def __init__(self) -> None:
        self.claims: dict[tuple[str, str], dict[str, Any]] = {}
        self.numbers = itertools.count(1)
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), _Requests)
        self.server.daemon_threads = True
        self.server.cluster = self  # type: ignore[attr-defined]
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def stop(self) -> None:
        """End it."""
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def claim(self, namespace: str, given: dict[str, Any]) -> dict[str, Any]:
        """Keep a claim; it is bound at once."""
        name = given["metadata"]["name"]
        number = str(next(self.numbers))
        status = {"sandbox": {"name": f"box-{name}"}, "conditions": [{"type": "Ready", "status": "True"}]}
        metadata = {**given["metadata"], "namespace": namespace, "uid": number, "resourceVersion": number}
        return self.claims.setdefault((namespace, name), {**given, "metadata": metadata, "status": status})


class _Requests(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    @property
    def claims(self) -> dict[tuple[str, str], dict[str, Any]]:
        """Return those of the cluster."""
        return self.server.cluster.claims  # type: ignore[attr-defined]

    def place(self) -> tuple[str, str, str]:
        """Return what the path names: a resource, a namespace and a name."""
        path = urlsplit(self.path).path
        for start in (CLAIMS, SANDBOXES):
            if path.startswith(start):
                namespace, kind, name = [*path.removeprefix(start).split("/"), ""][:3]
                return kind, namespace, name
        return "", "", ""

    def reply(self, status: int, body: dict[str, Any]) -> None:
        """Answer."""
        sent = json.dumps(body).encode() + b"\n"
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def listed(self, namespace: str) -> Iterator[dict[str, Any]]:
        """Yield the claims that the query selects."""
        wanted = parse_qs(urlsplit(self.path).query).get("fieldSelector", [""])[0].removeprefix("metadata.name=")
        for (space, name), claim in list(self.claims.items()):
            if space == namespace and wanted in ("", name):
                yield claim

    def do_GET(self) -> None:
        """Read one, list claims, or watch them."""
        kind, namespace, name = self.place()
        if kind == "sandboxclaims" and not name and "watch=true" in self.path.lower():
            self.reply(200, {"type": "ADDED", "object": next(self.listed(namespace), {})})
        elif kind == "sandboxclaims" and not name:
            self.reply(200, {"items": list(self.listed(namespace))})
        elif kind == "sandboxclaims" and (namespace, name) in self.claims:
            self.reply(200, self.claims[namespace, name])
        elif kind == "sandboxes" and (namespace, name.removeprefix("box-")) in self.claims:
            ready = [{"type": "Ready", "status": "True", "message": "here"}]
            self.reply(200, {"metadata": {"name": name}, "status": {"podIPs": [{"ip": "127.0.0.1"}], "conditions": ready}})
        else:
            self.reply(404, {"kind": "Status", "code": 404})

    def do_POST(self) -> None:
        """Keep a claim."""
        _, namespace, _ = self.place()
        given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.reply(201, self.server.cluster.claim(namespace, given))  # type: ignore[attr-defined]

    def do_DELETE(self) -> None:
        """Forget one."""
        _, namespace, name = self.place()
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        gone = self.claims.pop((namespace, name), None)
        self.reply(200 if gone else 404, {"kind": "Status"})
