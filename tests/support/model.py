"""model - a scripted server that speaks the wire format of Ollama and of OpenAI.

    with FakeOllama([reply("```python\\nprint(1)\\n```"), reply("It is 1.")]) as server:
        ...                       # server.url; server.chats: the bodies of the chat requests

A script is a list of actions, one for each chat request (/api/chat, /v1/chat/completions),
or a callable that gets the Request and returns one. What is left over when the list has
ended is an error 500. An action is a Reply (rendered as a stream or as one document, in the
protocol of the request), an Answer (status, type and bytes as they are), or a Drop.

All other endpoints answer from `models`, with what a real Ollama said (fixtures/ollama/) where only
names and numbers differ; `server.on[path] = action` replaces one, and `server.on["load"]` a chat without
messages. `FakeOllama.as_recorded(script)` answers all of them with these bytes as they are.
"""

import contextlib
import json
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

NDJSON = "application/x-ndjson"
JSON = "application/json; charset=utf-8"
SSE = "text/event-stream"
RECORDED = Path(__file__).resolve().parents[1] / "fixtures/ollama"
DATE = "2026-01-01T00:00:00.000000001Z"


@dataclass(frozen=True)
class Sleep:
    """Among the parts of an answer: nothing comes for so many seconds."""

    seconds: float


@dataclass(frozen=True)
class Wait:
    """Among the parts of an answer: nothing comes until the client hangs up."""


@dataclass(frozen=True)
class Gate:
    """Among the parts of an answer: nothing comes until the test sets the event."""

    opened: threading.Event


@dataclass(frozen=True)
class Reset:
    """Among the parts of an answer: the connection is reset."""


@dataclass(frozen=True)
class Close:
    """Among the parts of an answer: the connection is closed without the end of the answer."""


@dataclass(frozen=True)
class Forever:
    """Among the parts of an answer: `first`, then these bytes again and again."""

    again: bytes
    first: bytes = b""
    pause: float = 0


Part = bytes | Sleep | Wait | Gate | Reset | Close | Forever


@dataclass(frozen=True)
class Call:
    """A tool call of a reply; arguments may be anything, to be wrong."""

    name: str = "execute_python"
    arguments: Any = field(default_factory=dict)
    id: str = "call_abcd1234"


@dataclass(frozen=True)
class Reply:
    """A reply of the model: the pieces of its text, of its thoughts, and its calls."""

    pieces: tuple[str, ...] = ()
    thinking: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()
    reason: str = "stop"
    stats: dict[str, int] = field(
        default_factory=lambda: {
            "total_duration": 900_000_000,
            "load_duration": 100_000_000,
            "prompt_eval_count": 26,
            "prompt_eval_duration": 200_000_000,
            "eval_count": 12,
            "eval_duration": 600_000_000,
        }
    )
    pause: float = 0  # before each piece
    before: tuple[Part, ...] = ()  # of the stream, after the headers
    model: str = ""  # "": that of the request


@dataclass(frozen=True)
class Answer:
    """An HTTP answer, part by part."""

    parts: tuple[Part, ...] = ()
    status: int = 200
    type: str = NDJSON
    headers: tuple[tuple[str, str], ...] = ()
    length: bool = False  # Content-Length instead of chunks


@dataclass(frozen=True)
class Drop:
    """No answer: the connection is closed, or reset, or nothing comes, before the status."""

    part: Part = Close()


Action = Reply | Answer | Drop


@dataclass(frozen=True)
class Model:
    """An installed model; `gpu` is the part of it in video memory, None: not loaded."""

    name: str
    capabilities: tuple[str, ...] | None = ("completion", "tools")
    size: int = 4_700_000_000
    gpu: float | None = None
    context: int = 8192  # in force
    trained: int = 32768
    parameters: str = "7.6B"
    template: str = "{{ .Prompt }}"
    in_tags: bool = False  # newer servers list capabilities there, too


@dataclass(frozen=True)
class Request:
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        """Return the JSON body, None without one."""
        return json.loads(self.raw) if self.raw else None


# -- short forms -----------------------------------------------------------------------


def reply(text: str = "", **more: Any) -> Reply:
    """Return a reply whose text comes word by word."""
    words = text.split(" ")
    pieces = tuple(w + " " for w in words[:-1]) + (words[-1:][0],) if text else ()
    return Reply(pieces, **more)


def call(code: str, description: str = "", **more: Any) -> Reply:
    """Return a reply that calls the tool."""
    return Reply(calls=(Call(arguments={"code": code, "description": description}),), **more)


def error(status: int, text: str, **more: Any) -> Answer:
    """Return an error as Ollama sends it before any output."""
    body = json.dumps({"error": text, **more}).encode()
    return Answer((body,), status, JSON, length=True)


def recorded(name: str, nosuch: str = "nosuch") -> Answer:
    """Return what a real Ollama (0.17.4) answered, line by line: fixtures/ollama/.

    `nosuch` stands for the model that it did not have.
    """
    head, _, body = (RECORDED / f"{name}.http").read_bytes().partition(b"\r\n\r\n")
    status, *fields = head.decode().split("\r\n")
    kind = next((f.partition(": ")[2] for f in fields if f.lower().startswith("content-type")), "")
    whole = b"chunked" not in head
    body = body.replace(b"'nosuch'", f"'{nosuch}'".encode())
    return Answer(tuple(body.splitlines(keepends=True)), int(status.split()[1]), kind, length=whole)


def recorded_json(name: str) -> Any:
    """Return the document that it answered."""
    return json.loads(b"".join(part for part in recorded(name).parts if isinstance(part, bytes)))


LOADED = recorded("load")
AS_RECORDED = {
    "/": "root",
    "/api/version": "version",
    "/api/tags": "tags",
    "/api/ps": "ps",
    "/api/create": "create-stream",
    "/api/pull": "pull-refused",
}


def lines(*objects: Any, end: Iterable[Part] = ()) -> Answer:
    """Return a stream of these objects, bytes and parts as they are."""
    parts = [
        o if isinstance(o, (bytes, Sleep, Wait, Gate, Reset, Close, Forever)) else json.dumps(o).encode() + b"\n"
        for o in objects
    ]
    return Answer((*parts, *end))


# -- what replies look like on the wire ----------------------------------------------------


def ollama_objects(r: Reply, model: str) -> list[dict[str, Any]]:
    """Return the lines of a streamed /api/chat reply."""
    base = {"model": r.model or model, "created_at": DATE}

    def delta(**message: Any) -> dict[str, Any]:
        return {**base, "message": {"role": "assistant", "content": "", **message}, "done": False}

    said = [delta(thinking=t) for t in r.thinking]
    said += [delta(content=p) for p in r.pieces]
    said += [
        delta(tool_calls=[{"id": c.id, "function": {"name": c.name, "arguments": c.arguments}}])
        for c in r.calls
    ]
    last = {**delta(), "done": True, "done_reason": r.reason, **r.stats}
    return [*said, last]


def ollama_document(r: Reply, model: str) -> dict[str, Any]:
    """Return a reply to stream false."""
    message: dict[str, Any] = {"role": "assistant", "content": "".join(r.pieces)}
    if r.thinking:
        message["thinking"] = "".join(r.thinking)
    if r.calls:
        message["tool_calls"] = [
            {"function": {"name": c.name, "arguments": c.arguments}} for c in r.calls
        ]
    base = {"model": r.model or model, "created_at": DATE, "message": message}
    return {**base, "done": True, "done_reason": r.reason, **r.stats}


def openai_calls(r: Reply) -> list[dict[str, Any]]:
    """Return the calls with their arguments as text."""
    return [
        {
            "index": i,
            "id": c.id,
            "type": "function",
            "function": {
                "name": c.name,
                "arguments": c.arguments
                if isinstance(c.arguments, str)
                else json.dumps(c.arguments),
            },
        }
        for i, c in enumerate(r.calls)
    ]


def openai_objects(r: Reply, model: str) -> list[dict[str, Any]]:
    """Return the chunks of a streamed /v1/chat/completions reply."""
    base = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": r.model or model}

    def chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        return {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

    chunks = [chunk({"role": "assistant", "content": ""})]
    chunks += [chunk({"reasoning": t}) for t in r.thinking]
    chunks += [chunk({"content": p}) for p in r.pieces]
    for made in openai_calls(r):  # the arguments come in fragments
        text = made["function"]["arguments"]
        first = {**made, "function": {"name": made["function"]["name"], "arguments": ""}}
        chunks.append(chunk({"tool_calls": [first]}))
        for at in range(0, len(text), 7):
            part = {"index": made["index"], "function": {"arguments": text[at : at + 7]}}
            chunks.append(chunk({"tool_calls": [part]}))
    chunks.append(chunk({}, "tool_calls" if r.calls and r.reason == "stop" else r.reason))
    usage = {
        "prompt_tokens": r.stats.get("prompt_eval_count", 0),
        "completion_tokens": r.stats.get("eval_count", 0),
    }
    return [*chunks, {**base, "choices": [], "usage": usage}]


def openai_document(r: Reply, model: str) -> dict[str, Any]:
    """Return a reply to stream false."""
    message: dict[str, Any] = {"role": "assistant", "content": "".join(r.pieces) or None}
    if r.thinking:
        message["reasoning"] = "".join(r.thinking)
    if r.calls:
        message["tool_calls"] = openai_calls(r)
    choice = {"index": 0, "message": message, "finish_reason": r.reason}
    usage = {"prompt_tokens": 26, "completion_tokens": 12}
    return {"id": "1", "model": r.model or model, "choices": [choice], "usage": usage}


def render(r: Reply, request: Request) -> Answer:
    """Return the answer that a reply is, in the protocol of the request."""
    body = request.body
    openai = request.path.startswith("/v1/")
    model = body.get("model", "")
    if not body.get("stream", not openai):
        document = (openai_document if openai else ollama_document)(r, model)
        return Answer((*r.before, json.dumps(document).encode()), type=JSON)
    parts: list[Part] = [*r.before]
    for thing in (openai_objects if openai else ollama_objects)(r, model):
        if r.pause:
            parts.append(Sleep(r.pause))
        text = json.dumps(thing, ensure_ascii=False).encode()
        parts.append(b"data: " + text + b"\n\n" if openai else text + b"\n")
    if openai:
        parts.append(b"data: [DONE]\n\n")
    return Answer(tuple(parts), type=SSE if openai else NDJSON)


# -- the server ----------------------------------------------------------------------------


class _Gone(Exception):
    """The connection is over."""


class FakeOllama:
    """The server; a context manager that ends with all its connections."""

    def __init__(
        self,
        script: Iterable[Action] | Callable[[Request], Action] = (),
        models: Iterable[Model] = (Model("m:latest"),),
        version: str = "0.11.4",
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """Listen on a free port of the loopback interface."""
        self.tls = tls
        self.script = script if callable(script) else list(script)
        self.models = list(models)
        self.version = version
        self.on: dict[str, Action | Callable[[Request], Action]] = {"load": self._load}
        self.requests: list[Request] = []
        self.connections = 0
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self.open: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{self.port}"
        threading.Thread(target=self._accept, daemon=True).start()

    @classmethod
    def as_recorded(cls, script: Iterable[Action] | Callable[[Request], Action] = ()) -> "FakeOllama":
        """Return the server whose answers were recorded; its models are shot, tool and code-interpreter."""
        server = cls(script)
        server.on |= {path: recorded(name) for path, name in AS_RECORDED.items()}
        server.on["/api/show"] = lambda request: recorded(
            "show-missing" if request.body["model"] == "nosuch" else "show-fenced"
        )
        return server

    def __enter__(self) -> "FakeOllama":
        """Return the server, which listens already."""
        return self

    def __exit__(self, *_: object) -> None:
        """End it, and every connection."""
        self.close()

    def close(self) -> None:
        """End it, and every connection."""
        self._ended.set()
        for one in (self._listener, *list(self.open)):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    @property
    def chats(self) -> list[Any]:
        """Return the bodies of the chat requests so far."""
        paths = ("/api/chat", "/v1/chat/completions")
        return [r.body for r in self.requests if r.path in paths and r.body["messages"]]

    @property
    def loads(self) -> list[Any]:
        """Return the bodies of the requests that only load a model."""
        return [r.body for r in self.requests if r.path == "/api/chat" and not r.body["messages"]]

    # -- connections

    def _accept(self) -> None:
        while not self._ended.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self.open.add(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with contextlib.suppress(OSError, _Gone, ValueError):
            if self.tls:
                self.open.discard(connection)
                connection = self.tls.wrap_socket(connection, server_side=True)
                self.open.add(connection)
            stream = connection.makefile("rb")
            while request := self._read(stream):
                with self._lock:
                    self.requests.append(request)
                    action = self._action(request)
                self._act(connection, action, request)
        self.open.discard(connection)
        connection.close()

    def _read(self, stream: Any) -> Request | None:
        first = stream.readline().decode()
        if not first.strip():
            return None
        method, path, _ = first.split(" ", 2)
        headers: dict[str, str] = {}
        while line := stream.readline().decode().strip():
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        raw = stream.read(int(headers.get("content-length", 0)))
        return Request(method, path, headers, raw)

    def _act(self, connection: socket.socket, action: Action, request: Request) -> None:
        if isinstance(action, Drop):
            self._part(connection, action.part, chunked=False)
            raise _Gone
        answer = render(action, request) if isinstance(action, Reply) else action
        head = [f"HTTP/1.1 {answer.status} Said", f"Content-Type: {answer.type}"]
        if not answer.type:
            head.pop()
        head += [f"{name}: {value}" for name, value in answer.headers]
        if answer.length:
            size = sum(len(p) for p in answer.parts if isinstance(p, bytes))
            head.append(f"Content-Length: {size}")
        else:
            head.append("Transfer-Encoding: chunked")
        connection.sendall("\r\n".join([*head, "", ""]).encode())
        for part in answer.parts:
            self._part(connection, part, chunked=not answer.length)
        if not answer.length:
            connection.sendall(b"0\r\n\r\n")

    def _part(self, connection: socket.socket, part: Part, *, chunked: bool) -> None:
        if isinstance(part, bytes):
            if part:
                frame = b"%x\r\n%s\r\n" % (len(part), part) if chunked else part
                connection.sendall(frame)
        elif isinstance(part, Forever):
            self._part(connection, part.first, chunked=chunked)
            while not self._ended.is_set():  # or until the client hangs up: an OSError
                self._part(connection, part.again, chunked=chunked)
                time.sleep(part.pause)
        elif isinstance(part, Sleep):
            time.sleep(part.seconds)
        elif isinstance(part, Gate):
            part.opened.wait()
        elif isinstance(part, Wait):
            connection.recv(1)  # until the client hangs up
            raise _Gone
        elif isinstance(part, Reset):
            linger = struct.pack("ii", 1, 0)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            raise _Gone
        else:
            raise _Gone

    # -- what is answered

    def _action(self, request: Request) -> Action:
        path = request.path
        if path == "/api/chat" and not request.body["messages"]:
            path = "load"
        if path in self.on:
            chosen = self.on[path]
            return chosen(request) if callable(chosen) else chosen
        if path in ("/api/chat", "/v1/chat/completions"):
            if callable(self.script):
                return self.script(request)
            return self.script.pop(0) if self.script else error(500, "the script has ended")
        known = {
            ("GET", "/"): self._root,
            ("GET", "/api/version"): lambda _: self._json(
                {**recorded_json("version"), "version": self.version}
            ),
            ("GET", "/api/tags"): self._tags,
            ("GET", "/api/ps"): self._ps,
            ("GET", "/v1/models"): self._openai_models,
            ("POST", "/api/show"): self._show,
            ("POST", "/api/create"): self._create,
            ("POST", "/api/pull"): self._pull,
        }
        if made := known.get((request.method, path)):
            return made(request)
        status = 405 if any(path == p for _, p in known) else 404
        text = b"405 method not allowed" if status == 405 else b"404 page not found"
        return Answer((text,), status, "text/plain", length=True)

    @staticmethod
    def _json(document: Any) -> Answer:
        return Answer((json.dumps(document).encode(),), type=JSON, length=True)

    @staticmethod
    def _root(_: Request) -> Answer:
        return recorded("root")

    @staticmethod
    def _load(request: Request) -> Answer:
        return recorded("unload") if request.body.get("keep_alive") == 0 else LOADED

    def find(self, name: str) -> Model | None:
        """Return the installed model of this name."""
        full = name if ":" in name.rpartition("/")[2] else f"{name}:latest"
        return next((m for m in self.models if m.name.lower() == full.lower()), None)

    def missing(self, name: str) -> Answer:
        """Return the error for a model that is not there."""
        return recorded("show-missing", name)

    def _tags(self, _: Request) -> Answer:
        row = recorded_json("tags")["models"][0]
        rows = [
            {
                **row,
                "name": m.name,
                "model": m.name,
                "size": m.size,
                "details": {**row["details"], "parameter_size": m.parameters},
                **({"capabilities": m.capabilities} if m.in_tags else {}),
            }
            for m in self.models
        ]
        return self._json({"models": rows})

    def _ps(self, _: Request) -> Answer:
        (row,) = recorded_json("ps")["models"]
        rows = [
            {
                **row,
                "name": m.name,
                "model": m.name,
                "size": m.size,
                "size_vram": int(m.size * m.gpu),
                "context_length": m.context,
            }
            for m in self.models
            if m.gpu is not None
        ]
        return self._json({"models": rows})

    def _openai_models(self, _: Request) -> Answer:
        rows = [{"id": m.name, "object": "model"} for m in self.models]
        return self._json({"object": "list", "data": rows})

    def _show(self, request: Request) -> Answer:
        name = request.body.get("model", "")
        model = self.find(name)
        if not model:
            return self.missing(name)
        shown = recorded_json("show-fenced")
        shown["template"] = model.template
        shown["model_info"]["gemma3.context_length"] = model.trained
        shown["capabilities"] = model.capabilities
        if model.capabilities is None:  # an old server
            del shown["capabilities"]
        return self._json(shown)

    def _create(self, request: Request) -> Answer:
        body = request.body
        base = self.find(body.get("from", ""))
        if not base:
            return self.missing(body.get("from", ""))
        name = body["model"] if ":" in body["model"] else body["model"] + ":latest"
        self.models.append(Model(name, base.capabilities))
        return recorded("create-stream")

    def _pull(self, request: Request) -> Answer:
        name = request.body["model"]
        full = name if ":" in name.rpartition("/")[2] else f"{name}:latest"
        self.models.append(Model(full))
        step = {"status": "pulling 00aa", "digest": "sha256:00aa", "total": 4_000_000_000}
        moved = [{**step, "completed": n * 40_000_000} for n in range(101)]
        said = ("verifying sha256 digest", "writing manifest", "success")
        begin = {"status": "pulling manifest"}
        return lines(begin, step, *moved, *({"status": s} for s in said))
