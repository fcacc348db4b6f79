"""/metrics: the text format to the letter, and numbers that are true."""

import contextlib
import re
import threading
from typing import Any

from support.messages import sentence
from support.run import ROOT
from support.serve import ServeCase, Server, add_key
from support.times import wait_until

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
SAMPLE = re.compile(rf"({NAME})(?:\{{(.*)\}})? ([0-9.e+-]+|\+Inf|-Inf|NaN)")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)')
WAITS = "import time\nprint('began', flush=True)\ntime.sleep(3600)"
OPERATIONS = ("execute", "execute_stream", "session_create", "session_bash", "session_python", "mcp", "dify")

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def labels_of(text: str) -> frozenset[tuple[str, str]]:
    """Read what stands between the braces."""
    at, found = 0, []
    while at < len(text):
        match = LABEL.match(text, at)
        assert match, text
        found.append((match[1], match[2]))
        at = match.end()
    assert len({name for name, _ in found}) == len(found), text
    return frozenset(found)


def family_of(name: str, types: dict[str, str]) -> str:
    """Return the metric that a sample belongs to."""
    for suffix in ("_bucket", "_sum", "_count"):
        base = name.removesuffix(suffix)
        if base != name and types.get(base) == "histogram":
            return base
    return name


def parse(body: bytes) -> tuple[Samples, dict[str, str]]:
    """Read an exposition strictly: each metric once, HELP and TYPE before it, its samples together."""
    text = body.decode("ascii")
    assert text.endswith("\n"), text[-20:]
    samples: Samples = {}
    types: dict[str, str] = {}
    helps: set[str] = set()
    current = ""
    for line in text[:-1].split("\n"):
        if line.startswith("# HELP "):
            current, _, said = line[7:].partition(" ")
            assert current not in helps, line
            assert re.fullmatch(NAME, current), line
            assert said, line
            helps.add(current)
        elif line.startswith("# TYPE "):
            name, _, kind = line[7:].partition(" ")
            assert (name, kind in ("counter", "gauge", "histogram")) == (current, True), line
            types[name] = kind
        else:
            match = SAMPLE.fullmatch(line)
            assert match, line
            assert family_of(match[1], types) == current in types, line
            assert types[current] != "counter" or current.endswith("_total"), line
            key = (match[1], labels_of(match[2] or ""))
            assert key not in samples, line
            samples[key] = float(match[3])
    check_histograms(samples, types)
    return samples, types


def check_histograms(samples: Samples, types: dict[str, str]) -> None:
    """Buckets rise, and the last is the count."""
    series: dict[tuple[str, frozenset[tuple[str, str]]], list[tuple[float, float]]] = {}
    for (name, labels), value in samples.items():
        base = name.removesuffix("_bucket")
        if base != name and types.get(base) == "histogram":
            bounds = [float(v) for k, v in labels if k == "le"]
            assert len(bounds) == 1, labels
            rest = frozenset(pair for pair in labels if pair[0] != "le")
            series.setdefault((base, rest), []).append((bounds[0], value))
    assert {base for base, _ in series} == {name for name, kind in types.items() if kind == "histogram"}
    for (base, rest), buckets in series.items():
        assert buckets == sorted(buckets), (base, buckets)
        counts = [count for _, count in buckets]
        assert counts == sorted(counts), (base, counts)
        assert buckets[-1] == (float("inf"), samples[f"{base}_count", rest]), (base, buckets)
        assert f"{base}_sum" in {name for name, labels in samples if labels == rest}


class Metrics:
    """One look at a server's numbers."""

    def __init__(self, server: Server, **headers: str) -> None:
        reply = server.get("/metrics", **headers)
        assert reply.status == 200, reply
        assert reply.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
        self.samples, self.types = parse(reply.body)

    def __call__(self, name: str, **labels: Any) -> float:
        """Return the value of a sample; 0: there is none."""
        return self.samples.get((name, frozenset(labels.items())), 0)


class Exposition(ServeCase):
    """The format, and the names that others know."""

    def test_it_is_what_prometheus_reads(self) -> None:
        self.execute("print(1)")
        numbers = Metrics(self.server)
        for name, kind in {
            "code_interpreter_executions_active": "gauge", "code_interpreter_executions_limit": "gauge",
            "code_interpreter_executions_rejected_total": "counter", "code_interpreter_executions_completed_total": "counter",
            "code_interpreter_admission_wait_seconds": "histogram", "code_interpreter_execution_duration_seconds": "histogram",
            "glovebox_spawn_seconds": "histogram", "glovebox_runs_waiting": "gauge", "glovebox_pool_ready": "gauge",
            "glovebox_nursery_restarts_total": "counter", "glovebox_verdicts_total": "counter", "glovebox_sessions": "gauge",
            "glovebox_requests_total": "counter",
        }.items():  # fmt: skip
            self.assertEqual(numbers.types.get(name), kind, name)
        for operation in OPERATIONS:
            self.assertIn(("code_interpreter_executions_active", frozenset({("operation", operation)})), numbers.samples)
        self.assertEqual(numbers("code_interpreter_executions_limit"), 16)
        self.assertEqual((numbers("glovebox_supervisor_up"), numbers("glovebox_pool_size")), (1, 2))
        self.assertGreater(numbers("process_resident_memory_bytes"), 100000)

    def test_the_documentation_has_all_names_and_no_other(self) -> None:
        rows = re.findall(r"^\| (`.*?) \|", (ROOT / "docs/observability.md").read_text(), re.MULTILINE)
        named = {name for row in rows for name in re.findall(r"`((?:code_interpreter|glovebox|process)_\w+)`", row)}
        self.assertEqual(named, set(Metrics(self.server).types))

    def test_head_and_other_methods(self) -> None:
        self.assertEqual((self.server.ask("HEAD", "/metrics").status, self.server.ask("HEAD", "/metrics").body), (200, b""))
        self.assertEqual(self.server.post("/metrics", b"{}").status, 405)

    def test_scrapes_that_nobody_waits_for(self) -> None:
        for _ in range(20):
            with contextlib.closing(self.server.raw()) as client:
                client.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertEqual(Metrics(self.server)("glovebox_supervisor_up"), 1)


class Counting(ServeCase):
    """What happens is counted, once, where it belongs."""

    flags = ("--max-runs", "1", "--queue", "0s")

    def grown(self, before: Metrics, name: str, **labels: Any) -> float:
        """Return by how much a number has grown since."""
        return Metrics(self.server)(name, **labels) - before(name, **labels)

    def test_runs_and_verdicts(self) -> None:
        before = Metrics(self.server)
        self.execute("print(1)")
        self.execute("raise SystemExit(3)")
        self.execute("import time; time.sleep(3600)", timeout_ms=300)
        with self.server.stream(code="print(2)") as stream:
            list(stream)
        done = "code_interpreter_executions_completed_total"
        self.assertEqual(self.grown(before, done, operation="execute", outcome="ok"), 2)
        self.assertEqual(self.grown(before, done, operation="execute", outcome="timed_out"), 1)
        self.assertEqual(self.grown(before, done, operation="execute_stream", outcome="ok"), 1)
        self.assertEqual(self.grown(before, "glovebox_verdicts_total", verdict="exited"), 3)
        self.assertEqual(self.grown(before, "glovebox_verdicts_total", verdict="wall_time"), 1)
        self.assertEqual(self.grown(before, "glovebox_spawn_seconds_count"), 4)
        for name in ("admission_wait", "execution_duration"):
            self.assertEqual(self.grown(before, f"code_interpreter_{name}_seconds_count", operation="execute"), 3)
        self.assertGreaterEqual(self.grown(before, "code_interpreter_execution_duration_seconds_sum", operation="execute"), 0.3)
        self.assertEqual(Metrics(self.server)("code_interpreter_executions_active", operation="execute"), 0)

    def test_sessions_and_their_calls(self) -> None:
        before = Metrics(self.server)
        session = "/v1/sessions/" + self.server.post("/v1/sessions", {}).json["session_id"]
        self.addCleanup(self.server.delete, session)
        for kind, body in (("python", {"code": "1 / 0"}), ("python", {"code": "while True: pass", "timeout_ms": 300}),
                           ("bash", {"cmd": "exit 3"}), ("python", {"code": "import os; os._exit(1)"})):  # fmt: skip
            self.assertEqual(self.server.post(f"{session}/{kind}", body).status, 200)
        self.assertEqual(self.server.post(f"{session}/python", {"code": "1"}).status, 404)
        done = "code_interpreter_executions_completed_total"
        for operation, outcome, count in (("session_create", "ok", 1), ("session_bash", "ok", 1), ("session_python", "ok", 2),
                                          ("session_python", "timed_out", 1), ("session_python", "error", 0)):  # fmt: skip
            self.assertEqual(self.grown(before, done, operation=operation, outcome=outcome), count, (operation, outcome))
        for verdict, count in (("exited", 2), ("wall_time", 1), ("signalled", 1)):
            self.assertEqual(self.grown(before, "glovebox_verdicts_total", verdict=verdict), count, verdict)
        self.assertEqual(self.grown(before, "glovebox_spawn_seconds_count"), 1, "calls have the cell of their session")
        self.assertEqual(self.grown(before, "code_interpreter_execution_duration_seconds_count", operation="session_python"), 3)
        for operation in OPERATIONS:
            self.assertEqual(Metrics(self.server)("code_interpreter_executions_active", operation=operation), 0)

    def test_calls_that_are_refused(self) -> None:
        session = "/v1/sessions/" + self.server.post("/v1/sessions", {}).json["session_id"]
        self.addCleanup(self.server.delete, session)
        before = Metrics(self.server)
        with self.server.stream(session + "/python/stream", code=WAITS, timeout_ms=50000) as stream:
            next(iter(stream))
            self.assertEqual(Metrics(self.server)("code_interpreter_executions_active", operation="session_python"), 1)
            refused = "code_interpreter_executions_rejected_total"
            for operation, path, body in (("session_python", f"{session}/python", {"code": "1"}), ("session_bash", f"{session}/bash", {"cmd": "true"}),
                                          ("session_create", "/v1/sessions", {})):  # fmt: skip
                self.assertEqual(self.server.post(path, body).status, 429)
                self.assertEqual(self.grown(before, refused, operation=operation, status="429", reason="saturated"), 1)
            stream._response.close()  # noqa: SLF001
        self.assertTrue(wait_until(lambda: not Metrics(self.server)("glovebox_runs_running")))
        self.assertEqual(self.grown(before, "glovebox_verdicts_total", verdict="cancelled"), 1)

    def test_one_that_runs_and_one_that_is_refused(self) -> None:
        before = Metrics(self.server)
        with self.server.stream(code=WAITS, timeout_ms=50000) as stream:
            next(iter(stream))
            now = Metrics(self.server)
            self.assertEqual(now("code_interpreter_executions_active", operation="execute_stream"), 1)
            self.assertEqual(now("glovebox_runs_running"), 1)
            self.assertEqual(self.server.post("/v1/execute", {"code": "1"}).status, 429)
            refused = "code_interpreter_executions_rejected_total"
            self.assertEqual(self.grown(before, refused, operation="execute", status="429", reason="saturated"), 1)
            stream._response.close()  # noqa: SLF001
        # Its client has left.
        self.assertTrue(wait_until(lambda: not Metrics(self.server)("glovebox_runs_running")))
        self.assertEqual(self.grown(before, "glovebox_verdicts_total", verdict="cancelled"), 1)
        self.assertEqual(Metrics(self.server)("code_interpreter_executions_active", operation="execute_stream"), 0)

    def test_requests_by_route_and_class(self) -> None:
        before = Metrics(self.server)
        for path in ("/health", "/health", "/nothing", "/other?x=1", "/v1/files/x", "/v1/files/y"):
            self.server.get(path)
        self.server.ask("BREW", '/"}\\')
        name = "glovebox_requests_total"
        self.assertEqual(self.grown(before, name, method="GET", route="/health", **{"class": "2xx"}), 2)
        self.assertEqual(self.grown(before, name, method="GET", route="/v1/files/*", **{"class": "4xx"}), 2)
        self.assertEqual(self.grown(before, name, method="", route="", **{"class": "4xx"}), 3)

    def test_labels_do_not_grow_with_what_is_asked(self) -> None:
        self.server.get("/a")
        Metrics(self.server)
        before = set(Metrics(self.server).samples)
        for number in range(50):
            self.server.ask(f"M{number}", f"/path/{number}")
        self.assertEqual(set(Metrics(self.server).samples) - before, set())


class Queue(ServeCase):
    """Runs that wait."""

    flags = ("--max-runs", "1", "--queue", "50s")

    def test_one_waits(self) -> None:
        with self.server.stream(code=WAITS, timeout_ms=50000) as stream:
            next(iter(stream))
            waiter = threading.Thread(target=self.server.post, args=("/v1/execute", {"code": "1"}))
            waiter.start()
            self.assertTrue(wait_until(lambda: Metrics(self.server)("glovebox_runs_waiting") == 1))
            stream._response.close()  # noqa: SLF001
        waiter.join()
        numbers = Metrics(self.server)
        self.assertEqual(numbers("glovebox_runs_waiting"), 0)
        self.assertGreater(numbers("code_interpreter_admission_wait_seconds_sum", operation="execute"), 0)


class Keys(ServeCase):
    """Where there are keys, the numbers need an operator's."""

    def test_it_needs_an_operator_s_key(self) -> None:
        keys = self.server.folder / "keys.json"
        token = add_key(keys, "prometheus", "--operator")
        tenant = add_key(keys, "tenant")
        server = self.start_server("--keys", str(keys)).wait_ready()
        self.assertEqual(server.get("/metrics").status, 401)
        reply = server.get("/metrics", Authorization=f"Bearer {tenant}")
        self.assertEqual((reply.status, reply.detail), (403, sentence("metrics_text_run")))
        self.assertEqual(Metrics(server, Authorization=f"Bearer {token}")("glovebox_supervisor_up"), 1)
