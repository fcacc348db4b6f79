"""egress_case - what a sandbox with a list of hosts can and cannot do, however it is started.

The Internet is a test's own (support/outside.py). A program inside prints the outcome of each thing
that it has tried as JSON.
"""

import json
import os
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

from support.json_doc import faults
from support.outside import OutsideCase
from support.run import PYTHON, Result, command
from support.times import DEADLINE

V4, V6, OTHER, PRIVATE, ONLY6 = "93.184.216.34", "2606:2800::34", "93.184.216.35", "10.1.2.3", "2606:2800::6"
SELF = "93.184.215.250"  # a public address that the host itself has

PRELUDE = """
import json, socket, ssl, threading, urllib.request
said = {}
def attempt(name, do):
    try:
        said[name] = do()
    except OSError as error:
        error = getattr(error, "reason", error)
        said[name] = error if isinstance(error, str) else type(error).__name__
def get(url, data=None, context=None):
    with urllib.request.urlopen(url, data, 20, context=context) as reply:
        return reply.read().decode()
def tls(url):
    return get(url, context=ssl.create_default_context(cafile="/certificate.pem"))
def tcp(host, port, send=b""):
    with socket.create_connection((host, port), 20) as connection:
        connection.sendall(send)
        try:
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # it is over already: the next call says how
        parts = []
        while piece := connection.recv(65536):
            parts.append(piece)
        return b"".join(parts).decode()
"""
POSTLUDE = "\nprint(json.dumps(said))\n"

SERVER = """
import http.server
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *_): pass
    def do_GET(self):
        body = (self.path * 1000).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 200
server = Server(("127.0.0.1", 8000), Handler)
print("ready", flush=True)
server.serve_forever()
"""

# In the world: many requests at once, each on connections of its own.
CLIENT = """
import sys, threading, urllib.request
port, wrong = sys.argv[1], []
def ask(n):
    for i in range(5):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/{n}-{i}", timeout=60) as reply:
            if reply.read() != f"/{n}-{i}".encode() * 1000:
                wrong.append((n, i))
threads = [threading.Thread(target=ask, args=(n,)) for n in range(12)]
for t in threads: t.start()
for t in threads: t.join()
print(wrong)
"""

# Names that are not there, connections that nobody accepts, and those that are ended.
NO_NAME, REFUSED, RESET = "gaierror", "ConnectionRefusedError", "ConnectionResetError"


class EgressCase(OutsideCase):
    """A world with a host of each kind, and how to try to reach them."""

    names = {
        "api.example": [V4, V6],
        "other.example": [OTHER],
        "only6.example": [ONLY6],
        "a.wild.example": [V4],
        "db.internal": [PRIVATE],
        "loop.example": ["127.0.0.1"],
        "meta.example": ["169.254.169.254"],
        "self.example": [SELF],
        "rebind.example": [[V4], ["127.0.0.1"]],
    }
    servers = [
        *((address, 80, "http") for address in (V4, V6, OTHER, ONLY6)),
        *((address, 443, "tls") for address in (V4, V6, OTHER)),
        (V4, 5432, "echo"),
        (PRIVATE, 5432, "echo"),
        (PRIVATE, 8443, "echo"),
    ]
    local = [("127.0.0.1", 8000, "http"), ("127.0.0.1", 8080, "http"), ("127.0.0.1", 5432, "echo"), ("127.0.0.1", 80, "http"), (SELF, 5432, "echo"), ("127.0.0.1", 3128, f"proxy {V4}")]
    own = ["169.254.169.254/32", f"{SELF}/32"]

    how: str  # --warm=...

    def environment(self) -> dict[str, str]:
        """Return the variables of what is started; a suite may have some."""
        return {}

    def sandbox(self, *flags: str | Path, py: str, **options: Any) -> Result:
        """Run a program with these flags."""
        return self.world.run(self.how, *flags, py=py, env=self.environment(), **options)

    def publish(self, *flags: str) -> tuple["subprocess.Popen[bytes]", str]:
        """Start a server on port 8000 inside; return it and the port through which it is reached."""
        line = self.world.inside(command(self.how, *flags, py=SERVER))
        process = self.start_ready(line, env=dict(os.environ, **self.environment()))
        if given := re.fullmatch(r"(?:[\d.]+:)?(\d+):8000", flags[1]):
            return process, given[1]
        assert process.stderr
        told = process.stderr.readline().decode()
        found = re.fullmatch(r"glovebox: 127\.0\.0\.1:(\d+) is port 8000 inside\n", told)
        self.assertTrue(found, told)
        return process, found[1]

    def tries(self, *flags: str | Path, py: str) -> dict[str, Any]:
        """Run a program that tries things, and return what became of each."""
        volume = ("-v", f"{self.world.certificate}:/certificate.pem:ro")
        result = self.assert_status(self.mapped(self.sandbox(*volume, *flags, py=PRELUDE + py + POSTLUDE)))
        return json.loads(result.out)


class Reaching(EgressCase):
    """The tests that both suites have."""

    def test_listed_hosts_are_reached(self) -> None:
        said = self.tries("--egress", "api.example,only6.example,*.wild.example", py="""
attempt("http", lambda: get("http://api.example/a"))
attempt("tls", lambda: tls("https://api.example/b"))
attempt("v6", lambda: get("http://only6.example/c"))
attempt("wild", lambda: get("http://a.wild.example/d"))
attempt("post", lambda: get("http://api.example/", b"x" * 300000))
attempt("much", lambda: len(tls("https://api.example/bytes/3000000")))
""")  # fmt: skip
        self.assertIn(said.pop("http"), [f"api.example /a at {a}\n" for a in (V4, V6)])
        self.assertIn(said.pop("tls"), [f"api.example /b at {a}\n" for a in (V4, V6)])
        self.assertEqual(said, {
            "v6": f"only6.example /c at {ONLY6}\n", "wild": f"a.wild.example /d at {V4}\n",
            "post": "300000\n", "much": 3000000,
        })  # fmt: skip

    def test_what_is_not_listed_is_not_reached(self) -> None:
        before = len(self.world.asked())
        said = self.tries("--egress", "api.example:443", py=f"""
attempt("name", lambda: get("http://other.example/"))
attempt("bare", lambda: get("http://wild.example/"))
attempt("port", lambda: get("http://api.example/"))
attempt("raw", lambda: tcp("api.example", 5432))
attempt("address", lambda: tcp("{V4}", 443))
attempt("v6", lambda: tcp("{V6}", 443))
attempt("mapped", lambda: tcp("::ffff:{V4}", 443))
attempt("loopback", lambda: tcp("127.0.0.1", 443))
attempt("metadata", lambda: tcp("169.254.169.254", 443))
attempt("other port", lambda: tcp("127.0.0.1", 8000))
""")  # fmt: skip
        self.assertEqual(said, {
            "name": NO_NAME, "bare": NO_NAME, "port": REFUSED, "raw": REFUSED, "address": RESET, "v6": RESET,
            "mapped": RESET, "loopback": RESET, "metadata": RESET, "other port": REFUSED,
        })  # fmt: skip
        self.assertLessEqual(set(self.world.asked()[before:]), {"api.example"})

    def test_a_name_is_asked_for_outside_only_when_it_is_listed(self) -> None:
        before = len(self.world.asked())
        said = self.tries("--egress", "api.example:80", py="""
attempt("http", lambda: get("http://API.Example/").split(" ")[1])
attempt("tunnel", lambda: get("http://secret.api.example/"))
""")  # fmt: skip
        self.assertEqual(said, {"http": "/", "tunnel": NO_NAME})
        self.assertEqual(set(self.world.asked()[before:]), {"api.example"})

    def test_addresses_that_are_not_on_the_internet(self) -> None:
        said = self.tries("--egress", "db.internal:5432,loop.example:5432,self.example:5432,meta.example:80,rebind.example:80",
                          "--allow-private", "loop.example,self.example", py="""
for host, port in (("db.internal", 5432), ("loop.example", 5432), ("self.example", 5432), ("meta.example", 80)):
    attempt(host, lambda: tcp(host, port, b"GET / HTTP/1.1\\r\\nHost: meta.example\\r\\n\\r\\n"))
""")  # fmt: skip
        self.assertEqual(said, {name: RESET for name in ("db.internal", "loop.example", "self.example", "meta.example")})

    def test_a_private_network_takes_a_word(self) -> None:
        said = self.tries("--egress", "db.internal:5432", "--allow-private", "db.internal", py="""
attempt("db", lambda: tcp("db.internal", 5432, b"question"))
""")  # fmt: skip
        self.assertEqual(said, {"db": "hello\nquestion"})

    def test_a_service_of_the_host_takes_its_port(self) -> None:
        said = self.tries("--egress", "api.example", "--allow-host", "8000", py="""
for name in ("host.glovebox.internal", "host.docker.internal"):
    attempt(name, lambda: get(f"http://{name}:8000/x"))
attempt("other port", lambda: tcp("host.glovebox.internal", 5432))
attempt("by address", lambda: tcp("127.0.0.1", 8000))
attempt("listed port", lambda: tcp("host.glovebox.internal", 80, b"GET / HTTP/1.0\\r\\n\\r\\n"))
""")  # fmt: skip
        here = {name: f"{name}:8000 /x at 127.0.0.1\n" for name in ("host.glovebox.internal", "host.docker.internal")}
        self.assertEqual(said, {**here, "other port": REFUSED, "by address": RESET, "listed port": RESET})

    def test_the_server_is_the_one_that_was_named(self) -> None:
        said = self.tries("--egress", "api.example,other.example", py=f"""
def as_if(connect, name):
    context = ssl._create_unverified_context()
    with socket.create_connection((connect, 443), 20) as s, context.wrap_socket(s, server_hostname=name) as t:
        return t.version()
attempt("honest", lambda: as_if("api.example", "api.example") and "reached")
attempt("sni", lambda: as_if("api.example", "other.example"))
attempt("host", lambda: tcp("api.example", 80, b"GET / HTTP/1.1\\r\\nHost: other.example\\r\\n\\r\\n"))
attempt("no tls", lambda: tcp("api.example", 443, b"SSH-2.0-x\\r\\n"))
""")  # fmt: skip
        self.assertEqual(said.pop("honest"), "reached")
        self.assertEqual(set(said), {"sni", "host", "no tls"})
        for name, outcome in said.items():
            self.assertIn(outcome, (RESET, "", "SSLEOFError", "SSLZeroReturnError"), name)

    def test_a_proxy_is_the_only_way_where_there_is_one(self) -> None:
        before, asked = len(self.world.proxied()), len(self.world.asked())
        said = self.tries("--egress-proxy", "http://127.0.0.1:3128", "--egress", "api.example,refused.example", py="""
attempt("http", lambda: get("http://api.example/a"))
attempt("tls", lambda: tls("https://api.example/b"))
attempt("refused", lambda: get("http://refused.example/"))
attempt("unlisted", lambda: get("http://other.example/"))
attempt("the proxy", lambda: tcp("127.0.0.1", 3128))
""")  # fmt: skip
        self.assertEqual(said, {
            "http": f"api.example /a at {V4}\n", "tls": f"api.example /b at {V4}\n", "refused": RESET, "unlisted": NO_NAME,
            "the proxy": REFUSED,
        })  # fmt: skip
        through = [target for target, _, _ in self.world.proxied()[before:]]
        self.assertEqual(through, ["api.example:80", "api.example:443", "refused.example:80"])
        self.assertEqual(self.world.asked()[asked:], [])

    def test_nothing_of_it_is_held_inside(self) -> None:
        said = self.tries("--egress", "api.example", "-p", "8000", py="""
import os
said["open"] = [fd for fd in os.listdir("/proc/self/fd") if int(fd) > 2 and os.path.exists(f"/proc/self/fd/{fd}")]
said["resolver"] = open("/etc/resolv.conf").read()
said["hosts"] = [line.split() for line in open("/etc/hosts")]
said["name"] = socket.gethostname()
""")  # fmt: skip
        self.assertEqual(said["open"], [])
        self.assertEqual(said["resolver"], "nameserver 198.18.0.1\n")
        self.assertEqual(said["hosts"], [["127.0.0.1", "localhost", said["name"]], ["::1", "localhost"]])

    def test_what_is_published_is_reached_by_many_at_once(self) -> None:
        process, port = self.publish("-p", "8000")
        client = self.world.execute([PYTHON, "-c", CLIENT, port])
        self.assert_prints("[]", client)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(DEADLINE), 128 + signal.SIGTERM)
        self.assertNotEqual(self.world.execute(["curl", "-s", f"http://127.0.0.1:{port}/"]).status, 0)

    def test_it_is_published_where_it_was_said(self) -> None:
        _, port = self.publish("-p", "192.0.2.1:8765:8000", "--egress", "api.example")
        self.assertEqual(port, "8765")
        ask = "import urllib.request as u; print(len(u.urlopen('http://{}:8765/a').read()))"
        self.assert_prints("2000", self.world.execute([PYTHON, "-c", ask.format("192.0.2.1")]))
        self.assertIn("refused", self.world.execute([PYTHON, "-c", ask.format("127.0.0.1")]).err)

    def test_the_result_tells_what_became_of_it(self) -> None:
        log = self.folder / "log"
        log.write_text("old\n" * 1000)
        result = self.sandbox("--json", "--egress", "api.example", "--egress-log", log, py=PRELUDE + """
get("http://api.example/bytes/100000")
attempt("x", lambda: get("http://evil.example/"))
attempt("x", lambda: tcp("127.0.0.1", 80))
""")  # fmt: skip
        said = self.assert_status(result).json["egress"]
        self.assertEqual((said["connections"], said["refused_names"], said["log_truncated"]), (2, ["evil.example"], False))
        refused = [{"name": "evil.example", "reason": "not listed"}, {"name": "127.0.0.1", "port": 80, "reason": "not listed"}]
        self.assertEqual(said["refusals"], refused)
        self.assertEqual(faults(said, "Egress"), [])
        self.assertIn("[NETWORK] refused ", result.err)
        self.assertIn(": evil.example: not listed; 127.0.0.1:80: not listed\n", result.err)
        quiet = self.sandbox("-q", "--egress", "api.example", py=PRELUDE + "attempt('x', lambda: get('http://evil.example/'))")
        self.assertNotIn("[NETWORK]", self.assert_status(quiet).err)
        self.assertGreater(said["bytes_in"], 100000)
        self.assertTrue(0 < said["bytes_out"] < 10000 and said["queries"] and said["refused"] >= 2, said)
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        allowed = [line for line in lines if line["verdict"] == "allowed"]
        self.assertEqual([(line["name"], line["port"], line["what"]) for line in allowed], [("api.example", 80, "connection")])
        self.assertIn(allowed[0]["address"], (V4, V6))
        self.assertEqual({line["sandbox"] for line in lines}, {result.json["id"]})
        self.assertTrue(all(line["reason"] for line in lines if line["verdict"] == "refused"))
