"""Talking to servers of models: what is sent, what is taken, and every way it can fail."""

import gzip
import json
import os
import re
import socket
import subprocess
import threading
import time
import unittest
import unittest.mock
from pathlib import Path
from typing import Any

from support.messages import message, named
from support.model import (
    JSON,
    SSE,
    Answer,
    Call,
    Close,
    Drop,
    FakeOllama,
    Forever,
    Gate,
    Model,
    Reply,
    Reset,
    Sleep,
    Wait,
    call,
    error,
    lines,
    recorded,
    reply,
)
from support.run import GLOVEBOX
from support.times import DEADLINE

PROBE = Path(GLOVEBOX).parents[1] / "unit/wire_probe"
APIS = ("ollama", "openai")
STREAMS = (1, 0)


class Outcome:
    """What the probe said: the pieces as they came, and the reply or the failure."""

    def __init__(self, out: str, err: str, status: int) -> None:
        """Take the lines apart."""
        rows = [json.loads(line) for line in out.splitlines()]
        self.pieces = [(r["piece"], r["text"]) for r in rows if "piece" in r]
        self.ticks = sum("tick" in r for r in rows)
        self.ends = [r for r in rows if "piece" not in r and "tick" not in r]
        self.last: dict[str, Any] = self.ends[-1] if self.ends else {}
        self.err = err
        self.status = status

    def __getattr__(self, name: str) -> Any:
        """Return a member of the last line."""
        return self.last.get(name)


def start(api: str, url: str, what: str = "chat", **keys: object) -> "subprocess.Popen[str]":
    """Start the probe; its standard input stays open."""
    words = [f"{k}={v}" for k, v in keys.items()]
    return subprocess.Popen(
        [PROBE, api, what, url, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(probe: "subprocess.Popen[str]", before: str = "") -> Outcome:
    """Wait for the probe without closing its input, which would cancel."""
    assert probe.stdin and probe.stdout and probe.stderr
    out = before + probe.stdout.read()
    err = probe.stderr.read()
    status = probe.wait(DEADLINE)
    for stream in (probe.stdin, probe.stdout, probe.stderr):
        stream.close()
    return Outcome(out, err, status)


class WireCase(unittest.TestCase):
    """What the tests share."""

    def ask(self, server: FakeOllama | str, api: str = "ollama", **keys: object) -> Outcome:
        """Send one request and return what became of it."""
        url = server if isinstance(server, str) else server.url
        outcome = finish(start(api, url, **keys))
        self.assertIn(outcome.status, (0, 1), outcome.err)
        self.assertEqual(outcome.err, "")
        return outcome

    def serve(self, *script: Any, **more: Any) -> FakeOllama:
        """Return a server that ends with the test."""
        server = FakeOllama(script, **more)
        self.addCleanup(server.close)
        return server

    def assert_fails(self, outcome: Outcome, failed: str, *texts: str | re.Pattern[str]) -> None:
        """Check the failure, that its text is one line, and what stands in it."""
        self.assertEqual(outcome.failed, failed, outcome.last)
        self.assertNotIn("\n", outcome.error)
        self.assertLess(len(outcome.error), 520)
        for text in texts:
            self.assertRegex(outcome.error, named(text))


class TestRequest(WireCase):
    """What is sent."""

    def test_an_ollama_request_has_what_was_asked_for(self) -> None:
        server = self.serve(reply("ok"))
        self.ask(server, tools=1, think=1, num_ctx=8192, num_predict=500, temperature=1, seed=7)
        sent = server.chats[0]
        self.assertEqual(sent["model"], "m")
        self.assertIs(sent["stream"], True)
        self.assertIs(sent["think"], True)
        options = {"num_ctx": 8192, "num_predict": 500, "temperature": 0.2, "seed": 7}
        self.assertEqual(sent["options"], options)
        function = sent["tools"][0]["function"]
        self.assertEqual(function["name"], "execute_python")
        self.assertEqual(set(function["parameters"]["properties"]), {"code", "description"})
        self.assertEqual(function["parameters"]["required"], ["code"])

    def test_an_ollama_request_leaves_out_what_was_not(self) -> None:
        server = self.serve(reply("ok"))
        self.ask(server)
        self.assertEqual(set(server.chats[0]), {"model", "messages", "stream", "options"})
        self.assertEqual(server.chats[0]["options"], {})

    def test_keep_alive_is_a_number_or_a_duration(self) -> None:
        for given, sent in (("5m", "5m"), ("300", 300), ("-1", -1), ("0", 0)):
            server = self.serve(reply("ok"))
            self.ask(server, keep_alive=given)
            self.assertEqual(server.chats[0]["keep_alive"], sent)

    def test_messages_for_ollama(self) -> None:
        server = self.serve(reply("ok"))
        self.ask(server)
        system, user, assistant, tool = server.chats[0]["messages"]
        self.assertEqual(system, {"role": "system", "content": "rules"})
        self.assertEqual(user["content"], 'café 😀 "quoted"\n')
        made = assistant["tool_calls"][0]
        self.assertEqual(made["function"]["arguments"], {"code": "print(1)"})
        self.assertEqual(assistant["thinking"], "hm")
        self.assertEqual((tool["tool_name"], tool["tool_call_id"]), ("execute_python", "call_1"))

    def test_messages_for_openai(self) -> None:
        server = self.serve(reply("ok"))
        self.ask(server, "openai", tools=1, num_predict=500, temperature=1, seed=7)
        sent = server.chats[0]
        _, _, assistant, tool = sent["messages"]
        made = assistant["tool_calls"][0]
        self.assertEqual(made["function"]["arguments"], '{"code":"print(1)"}')
        self.assertEqual((made["id"], made["type"]), ("call_1", "function"))
        self.assertNotIn("thinking", assistant)
        self.assertEqual(tool["tool_call_id"], "call_1")
        self.assertEqual((sent["max_tokens"], sent["temperature"], sent["seed"]), (500, 0.2, 7))
        self.assertEqual(sent["stream_options"], {"include_usage": True})
        self.assertNotIn("options", sent)

    def test_the_url_of_openai_may_end_with_v1(self) -> None:
        for tail in ("", "/", "/v1", "/v1/"):
            server = self.serve(reply("ok"))
            self.assertEqual(self.ask(server.url + tail, "openai").content, "ok")

    def test_a_path_prefix_is_kept(self) -> None:
        server = self.serve()
        server.on["/deep/er/api/chat"] = Answer((b'{"message":{"content":"x"},"done":true}\n',))
        self.assertEqual(self.ask(server.url + "/deep/er/").content, "x")

    def test_the_key_is_a_bearer_token(self) -> None:
        for api in APIS:
            server = self.serve(reply("ok"), reply("ok"))
            self.ask(server, api, key="sk-123")
            self.ask(server, api)
            self.assertEqual(server.requests[0].headers["authorization"], "Bearer sk-123")
            self.assertNotIn("authorization", server.requests[1].headers)

    def test_a_key_that_no_header_can_hold_is_refused(self) -> None:
        self.assert_fails(self.ask("localhost", key="a\r\nX: y"), "broken", "API key")

    def test_the_headers_are_those_of_an_api(self) -> None:
        server = self.serve(reply("ok"))
        self.ask(server)
        headers = server.requests[0].headers
        self.assertEqual(headers["content-type"], "application/json")
        self.assertEqual(headers["host"], f"127.0.0.1:{server.port}")
        self.assertNotIn("expect", headers)
        self.assertTrue(headers["user-agent"].startswith("glovebox/"))

    def test_one_connection_serves_all_requests(self) -> None:
        server = self.serve(*(reply("ok") for _ in range(5)))
        self.ask(server, times=5)
        self.assertEqual((len(server.chats), server.connections), (5, 1))

    def test_no_proxy_is_asked_for_this_machine(self) -> None:
        proxy = {"http_proxy": "http://127.0.0.1:1", "all_proxy": "http://127.0.0.1:1"}
        with unittest.mock.patch.dict(os.environ, {**proxy, "no_proxy": ""}):
            self.assertEqual(self.ask(self.serve(), what="show").known, 1)


class TestReply(WireCase):
    """What is taken."""

    def test_text_comes_piece_by_piece(self) -> None:
        for api in APIS:
            server = self.serve(reply("Hallo schöne Welt 😀", thinking=("erst ", "denken")))
            outcome = self.ask(server, api)
            said = [t for kind, t in outcome.pieces if kind == "content"]
            self.assertEqual(said, ["Hallo ", "schöne ", "Welt ", "😀"])
            self.assertEqual(outcome.content, "Hallo schöne Welt 😀")
            self.assertEqual(outcome.thinking, "erst denken")
            self.assertEqual((outcome.role, outcome.done_reason), (2, "stop"))
            self.assertEqual(outcome.calls, [])
            self.assertTrue(outcome.total)

    def test_a_reply_at_once_has_no_pieces(self) -> None:
        for api in APIS:
            server = self.serve(reply("all of it", thinking=("hm",)))
            outcome = self.ask(server, api, stream=0)
            self.assertEqual((outcome.pieces, outcome.content), ([], "all of it"))
            self.assertEqual(outcome.thinking, "hm")
            self.assertIs(server.chats[0]["stream"], False)

    def test_calls_come_whole_and_in_order(self) -> None:
        code = 'print("é")\nfor i in range(3):\n\tpass\n'
        calls = (
            Call(arguments={"code": code, "n": [1, 2.5, None, True, {"a": "b"}]}, id="call_1"),
            Call(arguments={"code": "2"}, id="call_2"),
        )
        for api in APIS:
            for stream in STREAMS:
                outcome = self.ask(self.serve(Reply(("so: ",), calls=calls)), api, stream=stream)
                arguments = [c["arguments"] for c in outcome.calls]
                self.assertEqual(arguments, [c.arguments for c in calls])
                self.assertEqual({c["name"] for c in outcome.calls}, {"execute_python"})
                self.assertEqual(outcome.content, "so: ")

    def test_the_ids_of_calls_are_kept_where_there_are_some(self) -> None:
        server = self.serve(call("1"), call("1"))
        self.assertEqual(self.ask(server, "openai").calls[0]["id"], "call_abcd1234")
        self.assertEqual(self.ask(server, "ollama").calls[0]["id"], "call_abcd1234")

    def test_arguments_end_as_an_object(self) -> None:
        table = (
            ('{"code": "print(1)"}', {"code": "print(1)"}),
            ("print(1)", {"code": "print(1)"}),
            ('"print(1)"', {"code": "print(1)"}),
            ("[1, 2]", {"code": "[1, 2]"}),
            ('{"code": "cut o', {}),
            ("", {}),
        )
        for api in APIS:
            for given, wanted in table:
                with self.subTest(api=api, given=given):
                    outcome = self.ask(self.serve(Reply(calls=(Call(arguments=given),))), api)
                    self.assertEqual(outcome.calls[0]["arguments"], wanted)

    def test_openai_calls_that_are_all_number_0(self) -> None:
        def chunk(number: object, name: str, arguments: str) -> bytes:
            made = {"id": name, "function": {"name": name, "arguments": arguments}}
            if number is not None:
                made["index"] = number
            delta = {"tool_calls": [made]}
            return b"data: " + json.dumps({"choices": [{"delta": delta}]}).encode() + b"\n\n"

        for number in (0, None):
            parts = (chunk(number, "a", '{"x":1}'), chunk(number, "b", '{"x":2}'))
            server = self.serve(Answer((*parts, b"data: [DONE]\n\n"), type=SSE))
            outcome = self.ask(server, "openai")
            got = [(c["name"], c["arguments"]["x"]) for c in outcome.calls]
            self.assertEqual(got, [("a", 1), ("b", 2)], number)

    def test_too_many_calls_are_refused(self) -> None:
        for api in APIS:
            server = self.serve(Reply(calls=tuple(Call(id=str(i)) for i in range(65))))
            self.assert_fails(self.ask(server, api), "broken", "64 tool calls")

    def test_numbers_of_the_end(self) -> None:
        outcome = self.ask(self.serve(reply("x")))
        self.assertEqual((outcome.prompt_tokens, outcome.reply_tokens), (26, 12))
        self.assertEqual(outcome.reply_us, 600_000)
        outcome = self.ask(self.serve(reply("x")), "openai")
        self.assertEqual((outcome.prompt_tokens, outcome.reply_tokens), (26, 12))

    def test_numbers_that_are_none_count_as_missing(self) -> None:
        wrong = {"eval_count": -1, "prompt_eval_count": "x", "eval_duration": 1e300}
        outcome = self.ask(self.serve(reply("x", stats=wrong)))
        self.assertEqual((outcome.prompt_tokens, outcome.reply_tokens), (0, 0))

    def test_the_model_that_answers_is_named(self) -> None:
        for api in APIS:
            outcome = self.ask(self.serve(reply("x", model="other:7b")), api)
            self.assertEqual(outcome.model, "other:7b")

    def test_an_empty_reply_is_one(self) -> None:
        for api in APIS:
            for stream in STREAMS:
                outcome = self.ask(self.serve(Reply(reason="length")), api, stream=stream)
                self.assertEqual((outcome.content, outcome.done_reason), ("", "length"))

    def test_nul_and_half_characters_are_replaced(self) -> None:
        body = b'{"message":{"content":"a\\u0000b\\ud800c\xff\xc3d \\\\u0000"},"done":true}\n'
        outcome = self.ask(self.serve(Answer((body,))))
        self.assertEqual(outcome.content, "a\ufffdb\ufffdc\ufffd\ufffdd \\u0000")

    def test_a_raw_nul_is_an_error(self) -> None:
        outcome = self.ask(self.serve(Answer((b'{"message":{"content":"a\0b"}}\n',))))
        self.assert_fails(outcome, "broken", "NUL")

    def test_members_of_the_wrong_type_are_ignored(self) -> None:
        strange = {"message": {"content": 7, "thinking": [], "tool_calls": {"a": 1}}, "model": {}}
        last = {"message": None, "done": True, "done_reason": 5}
        outcome = self.ask(self.serve(lines(strange, {"message": "text"}, last)))
        self.assertEqual((outcome.content, outcome.calls), ("", []))

    def test_lines_that_are_no_objects_are_errors(self) -> None:
        for text in (b"[]\n", b"7\n", b'"x"\n', b"null\n"):
            self.assert_fails(self.ask(self.serve(Answer((text,)))), "broken", "not an object")

    def test_lines_in_every_cut(self) -> None:
        said = ({"message": {"content": "é😀"}}, {"message": {"content": "!"}, "done": True})
        whole = b"".join(json.dumps(o, ensure_ascii=False).encode() + b"\r\n\n" for o in said)
        cuts = [[whole[i : i + n] for i in range(0, len(whole), n)] for n in (1, 2, 3, 7)]
        script = [Answer(tuple(parts)) for parts in cuts]
        server = self.serve(*script)
        for _ in script:
            self.assertEqual(self.ask(server).content, "é😀!")

    def test_a_huge_line(self) -> None:
        text = "x" * 9_000_000
        for api in APIS:
            outcome = self.ask(self.serve(Reply((text,))), api)
            self.assertEqual(len(outcome.content or ""), len(text), outcome.last.get("error"))

    def test_a_reply_without_end_is_bounded(self) -> None:
        text = "y" * 1_000_000
        for api in APIS:
            server = self.serve(Reply((text,) * 20))
            self.assert_fails(self.ask(server, api), "broken", message("fold_piece"))

    def test_one_document_without_end_is_bounded(self) -> None:
        server = self.serve(Answer((b"[" + b" " * 1_000_000,) * 20, type=JSON))
        self.assert_fails(self.ask(server, stream=0), "broken", message("server_take_document"))

    def test_sse_as_other_servers_write_it(self) -> None:
        body = (
            b"\xef\xbb\xbf: ping\r\nevent: message\rid: 1\ndata:{\"choices\":[{\"delta\":\r"
            b"data: {\"content\":\"one\"}}]}\r\r"
            b'data: {"choices":[{"delta":{"reasoning_content":"why"},"finish_reason":null}]}\n\n'
            b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}'
        )
        for cut in (len(body), 1, 5):
            parts = tuple(body[i : i + cut] for i in range(0, len(body), cut))
            outcome = self.ask(self.serve(Answer(parts, type=SSE)), "openai")
            self.assertEqual((outcome.content, outcome.thinking), ("one", "why"))
            self.assertEqual(outcome.done_reason, "stop")

    def test_a_pause_before_the_first_byte_is_no_failure(self) -> None:
        for api in APIS:
            server = self.serve(reply("late", before=(Sleep(0.3),), pause=0.05))
            self.assertEqual(self.ask(server, api, connect=100).content, "late")

    def test_time_that_passes_is_told(self) -> None:
        for api in APIS:
            for stream in STREAMS:
                server = self.serve(reply("late", before=(b" ", Sleep(1))))
                outcome = self.ask(server, api, stream=stream)
                self.assertEqual(outcome.content, "late")
                self.assertIn(outcome.ticks, range(1, 30))

    def test_a_server_that_does_not_hang_up_after_the_end(self) -> None:
        done = {"message": {"content": "x"}, "done": True}
        self.assertEqual(self.ask(self.serve(lines(done, Wait()))).content, "x")
        server = self.serve(Answer((b'data: {"choices":[]}\n\ndata: [DONE]\n\n', Wait()), type=SSE))
        self.assertEqual(self.ask(server, "openai").content, "")

    def test_a_server_that_hangs_up_too_early_after_the_end(self) -> None:
        done = {"message": {"content": "x"}, "done": True}
        self.assertEqual(self.ask(self.serve(lines(done, Close()))).content, "x")

    def test_what_comes_after_the_end_is_ignored(self) -> None:
        done = {"message": {"content": "x"}, "done": True}
        outcome = self.ask(self.serve(lines(done, {"error": "no"}, b"garbage\n")))
        self.assertEqual(outcome.content, "x")


class TestFailure(WireCase):
    """Every way it can fail, and its one line."""

    def test_no_server(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as held:
            port = held.getsockname()[1]
        outcome = self.ask(f"127.0.0.1:{port}")
        self.assert_fails(outcome, "unreachable", f"http://127.0.0.1:{port}", "ollama serve")
        outcome = self.ask(f"127.0.0.1:{port}", "openai")
        self.assert_fails(outcome, "unreachable", f"http://127.0.0.1:{port}", "--url")
        self.assertNotIn("ollama serve", outcome.error)

    def test_port_80_is_explained(self) -> None:
        outcome = self.ask("http://127.255.255.254")
        self.assert_fails(outcome, "unreachable", ":80", "11434")

    def test_a_name_without_an_address(self) -> None:
        self.assert_fails(self.ask("no-such-host.invalid"), "unreachable", "no-such-host.invalid")

    def test_a_missing_model(self) -> None:
        texts = (
            "model 'm' not found",
            'model "m" not found, try pulling it first',
            'model "registry.ollama.ai/library/m:latest" not found',
        )
        there = [Model("llama3.2:3b"), Model("qwen2.5-coder:7b")]
        for text in texts:
            for stream in STREAMS:
                server = self.serve(error(404, text), models=there)
                outcome = self.ask(server, stream=stream)
                listed = "llama3.2:3b, qwen2.5-coder:7b"
                self.assert_fails(outcome, "missing", "`ollama pull m`", listed)

    def test_the_tuned_model_is_made_not_pulled(self) -> None:
        for name in ("code-interpreter", "code-interpreter:latest"):
            server = self.serve(error(404, f"model '{name}' not found"), models=[Model("a:1b")])
            outcome = self.ask(server, model=name)
            self.assert_fails(outcome, "missing", "`glovebox agent setup`", "--model", "a:1b")
            self.assertNotIn("pull", outcome.error)

    def test_a_missing_model_of_openai(self) -> None:
        body = {"error": {"message": "The model `m` does not exist.", "code": "404"}}
        answer = Answer((json.dumps(body).encode(),), 404, JSON, length=True)
        server = self.serve(answer, models=[Model("served")])
        self.assert_fails(self.ask(server, "openai"), "missing", '"m"', "served")

    def test_a_missing_model_where_there_is_none_or_no_list(self) -> None:
        server = self.serve(error(404, "model 'm' not found"), models=[])
        self.assert_fails(self.ask(server), "missing", "installed: nothing")
        server = self.serve(error(404, "model 'm' not found"))
        server.on["/api/tags"] = error(500, "broken")
        self.assert_fails(self.ask(server), "missing", "installed: unknown")

    def test_a_long_list_of_models_is_cut(self) -> None:
        there = [Model(f"model-number-{i}:latest") for i in range(100)]
        server = self.serve(error(404, "model 'm' not found"), models=there)
        self.assert_fails(self.ask(server), "missing", "...")

    def test_no_tools(self) -> None:
        text = "registry.ollama.ai/library/m:latest does not support tools"
        for stream in STREAMS:
            self.assert_fails(self.ask(self.serve(error(400, text)), stream=stream), "no-tools")
        others = (
            '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser',
            "tools param requires --jinja flag",
        )
        for text in others:
            body = json.dumps({"error": {"message": text}}).encode()
            server = self.serve(Answer((body,), 400, JSON))
            self.assert_fails(self.ask(server, "openai"), "no-tools")

    def test_no_thinking(self) -> None:
        for more in ("", ". Pull the model again"):
            text = '"m" does not support thinking' + more
            self.assert_fails(self.ask(self.serve(error(400, text))), "no-thinking")

    def test_refusals_inside_a_stream(self) -> None:
        for text, failed in (
            ("m does not support tools", "no-tools"),
            ("m does not support thinking", "no-thinking"),
            ("llama runner process has terminated", "broken"),
        ):
            outcome = self.ask(self.serve(lines({"error": text})))
            self.assert_fails(outcome, failed, text)
            document = Answer((json.dumps({"error": text}).encode(),))
            outcome = self.ask(self.serve(document), stream=0)
            self.assert_fails(outcome, failed, text)
            event = json.dumps({"error": {"message": text}}).encode()
            for field in (b"data: ", b"error: "):
                server = self.serve(Answer((field + event + b"\n\n",), type=SSE))
                self.assert_fails(self.ask(server, "openai"), failed, text)

    def test_an_error_after_some_text(self) -> None:
        server = self.serve(lines({"message": {"content": "some"}}, {"error": "an error was met"}))
        outcome = self.ask(server)
        self.assertEqual(outcome.pieces, [("content", "some")])
        self.assert_fails(outcome, "broken", "an error was met")
        self.assertEqual(len(server.chats), 1)

    def test_other_errors_say_what_the_server_said(self) -> None:
        table = (
            (400, "invalid model name"),
            (400, "missing request body"),
            (499, "request canceled"),
            (500, "model requires more system memory (5.6 GiB) than is available (3.1 GiB)"),
            (500, "llama runner process has terminated: exit status 2"),
        )
        for status, text in table:
            server = self.serve(error(status, text))
            self.assert_fails(self.ask(server), "broken", text, str(status), server.url)
            self.assertEqual(len(server.chats), 1)

    def test_not_signed_in(self) -> None:
        answer = error(401, "unauthorized", signin_url="https://ollama.com/connect?x=1")
        self.assert_fails(
            self.ask(self.serve(answer)), "broken", "unauthorized", "https://ollama.com/connect?x=1"
        )

    def test_forbidden_without_a_word(self) -> None:
        server = self.serve(Answer((), 403, "", length=True))
        self.assert_fails(self.ask(server), "broken", "403", "OLLAMA_ORIGINS")

    def test_busy_is_tried_twice(self) -> None:
        busy = error(503, "server busy, please try again. maximum pending requests exceeded")
        for api in APIS:
            for stream in STREAMS:
                server = self.serve(busy, reply("ok"))
                self.assertEqual(self.ask(server, api, stream=stream).content, "ok")
                server = self.serve(busy, busy, reply("ok"))
                self.assert_fails(self.ask(server, api, stream=stream), "busy", "maximum pending")
                self.assertEqual(len(server.chats), 2)

    def test_wrong_paths_and_methods(self) -> None:
        server = self.serve()
        for status, text in ((404, b"404 page not found"), (405, b"405 method not allowed")):
            server.on["/api/chat"] = Answer((text,), status, "text/plain", length=True)
            self.assert_fails(self.ask(server), "broken", "/api/chat", "--api openai")
        server.on["/v1/chat/completions"] = Answer((b'{"detail":"Not Found"}',), 404, JSON)
        outcome = self.ask(server, "openai")
        self.assert_fails(outcome, "broken", "/v1/chat/completions", "--api ollama")

    def test_html_instead_of_json(self) -> None:
        page = b"<!DOCTYPE html>\n<html><head><title>Welcome to nginx!</title></head></html>"
        for api in APIS:
            for stream in STREAMS:
                server = self.serve(Answer((page,), type="text/html; charset=utf-8"))
                outcome = self.ask(server, api, stream=stream)
                self.assert_fails(outcome, "broken", "text/html", "not JSON")
        for status, wanted in ((502, "502 Bad Gateway"), (404, "Welcome"), (413, "413")):
            body = page.replace(b"Welcome to nginx!", b"502 Bad Gateway") if status == 502 else page
            server = self.serve(Answer((body,), status, "text/html"))
            self.assert_fails(self.ask(server), "broken", wanted)

    def test_other_content_types(self) -> None:
        done = b'{"message":{"content":"x"},"done":true}\n'
        for good in ("", "text/plain; charset=utf-8", "application/json", "application/jsonl"):
            self.assertEqual(self.ask(self.serve(Answer((done,), type=good))).content, "x", good)
        for bad in ("image/png", "application/octet-stream", "text/css"):
            self.assert_fails(self.ask(self.serve(Answer((done,), type=bad))), "broken", bad)

    def test_text_that_is_no_json(self) -> None:
        server = self.serve(Answer((b"Ollama is running\n",), type="text/plain"))
        self.assert_fails(self.ask(server), "broken", "not valid JSON")

    def test_redirections_are_not_followed(self) -> None:
        for status in (301, 302, 307, 308):
            for where in ("file:///etc/passwd", "gopher://127.0.0.1/", "http://127.0.0.1:1/api"):
                answer = Answer((b"moved",), status, "text/plain", (("Location", where),))
                server = self.serve(answer)
                self.assert_fails(self.ask(server), "broken", where, "--url")
                self.assertEqual(len(server.requests), 1)

    def test_a_flood_in_an_error_is_bounded(self) -> None:
        flood = (b"no " * 100_000,) * 50
        outcome = self.ask(self.serve(Answer(flood, 500, "text/plain")))
        self.assert_fails(outcome, "broken", "500: no no")

    def test_errors_hold_no_control_characters(self) -> None:
        outcome = self.ask(self.serve(error(500, "a\x1b[31mb\r\nc\x9bd\x00e")))
        self.assertIsNone(re.search("[\x00-\x1f\x7f-\x9f]", outcome.error))

    def test_errors_without_a_text(self) -> None:
        for body in (b"", b"{}", b'{"error":7}', b'{"error":{}}', b"\xff\xfe"):
            self.assert_fails(self.ask(self.serve(Answer((body,), 500, JSON))), "broken", "500")

    def test_what_is_not_http(self) -> None:
        for text in (b"SSH-2.0-OpenSSH_9.6\r\n", b"\x15\x03\x01\x00\x02\x02\x28" * 30):
            server = self.serve(Drop(text))
            outcome = self.ask(server)
            self.assert_fails(outcome, "broken", server.url)

    def test_a_connection_dropped_before_the_answer_is_tried_twice(self) -> None:
        for part in (Close(), Reset()):
            for api in APIS:
                for stream in STREAMS:
                    server = self.serve(Drop(part), reply("ok"))
                    self.assertEqual(self.ask(server, api, stream=stream).content, "ok")
                    server = self.serve(Drop(part), Drop(part), reply("ok"))
                    self.assert_fails(self.ask(server, api, stream=stream), "broken", server.url)

    def test_a_stream_dropped_before_the_first_token_is_tried_twice(self) -> None:
        empty = {"message": {"role": "assistant", "content": ""}}
        for begin in ((), (empty,), (empty, b'{"message":{"con')):
            for part in (Close(), Reset()):
                server = self.serve(lines(*begin, Sleep(0.02), part), reply("ok"))
                self.assertEqual(self.ask(server).content, "ok")
                self.assertEqual(server.chats[0], server.chats[1])

    def test_a_stream_dropped_after_the_first_token_is_not(self) -> None:
        for part in (Close(), Reset()):
            read = threading.Event()  # a reset takes away what has not been read
            begun = lines({"message": {"content": "a"}}, Gate(read), part)
            server = self.serve(begun, reply("ok"))
            probe = start("ollama", server.url)
            assert probe.stdout
            said = ""
            while '"piece"' not in said:  # there may be ticks before
                said += probe.stdout.readline()
            read.set()
            outcome = finish(probe, said)
            self.assertEqual(outcome.pieces, [("content", "a")])
            self.assert_fails(outcome, "broken", message("transport#before"))
            self.assertEqual(len(server.chats), 1)

    def test_a_stream_that_ends_without_its_end(self) -> None:
        for body in (b"", b'{"message":{"content":""}}\n', b'{"message":'):
            server = self.serve(Answer((body,)), Answer((body,)))
            self.assert_fails(self.ask(server), "broken")
            self.assertEqual(len(server.chats), 2)
        chunk = b'data: {"choices":[{"delta":{"content":"a"}}]}\n\n'
        server = self.serve(Answer((chunk,), type=SSE))
        self.assert_fails(self.ask(server, "openai"), "broken", "middle")

    def test_a_stall_ends(self) -> None:
        begun = lines({"message": {"content": "a"}}, Wait())
        ping = Answer((b": ping\n\n", Wait()), type=SSE)
        for api, script in (
            ("ollama", Drop(Wait())),
            ("ollama", lines(Wait())),
            ("ollama", begun),
            ("openai", Drop(Wait())),
            ("openai", ping),
        ):
            server = self.serve(script)
            outcome = self.ask(server, api, stall=600)
            self.assert_fails(outcome, "broken", "said nothing for 1 s")
            self.assertEqual(len(server.chats), 1)


class TestCancel(WireCase):
    """A readable descriptor ends it, whatever is going on."""

    def cancel(self, probe: "subprocess.Popen[str]", before: str = "") -> None:
        assert probe.stdin
        probe.stdin.write("x")
        probe.stdin.flush()
        outcome = finish(probe, before)
        self.assertEqual(outcome.failed, "cancelled")

    def test_before_the_answer(self) -> None:
        server = self.serve(Drop(Wait()))
        probe = start("ollama", server.url)
        while not server.requests:
            time.sleep(0.005)
        self.cancel(probe)

    def test_before_anything(self) -> None:
        server = self.serve(reply("x"))
        probe = subprocess.run(
            [PROBE, "ollama", "chat", server.url],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            check=False,
        )
        self.assertIn(b"cancelled", probe.stdout)
        self.assertEqual(server.requests, [])

    def test_in_the_middle_of_a_reply(self) -> None:
        for api in APIS:
            piece = b'{"message":{"content":"a"}}\n'
            if api == "openai":
                piece = b'data: {"choices":[{"delta":{"content":"a"}}]}\n\n'
            server = self.serve(Answer((piece, Wait())))
            probe = start(api, server.url)
            assert probe.stdout
            self.cancel(probe, probe.stdout.readline())

    def test_in_a_flood(self) -> None:
        server = self.serve(Answer((b'{"message":{"content":""}}\n' * 1000,) * 100_000))
        probe = start("ollama", server.url)
        while not server.requests:
            time.sleep(0.005)
        self.cancel(probe)

    def test_while_connecting(self) -> None:
        with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
            port = full.getsockname()[1]
            held = []
            for _ in range(4):  # the queue is full then: a connection is neither made nor refused
                one = socket.socket()
                one.setblocking(False)
                one.connect_ex(("127.0.0.1", port))
                held.append(one)
            probe = start("ollama", f"127.0.0.1:{port}")
            self.cancel(probe)
            for one in held:
                one.close()


class TestEndless(WireCase):
    """Answers without end, fast and slow: each ends by itself, and says why."""

    EMPTY = {"ollama": b'{"message":{"content":""}}\n', "openai": b'data: {"choices":[]}\n\n'}
    TYPES = {"ollama": "application/x-ndjson", "openai": SSE}

    def endless(self, action: Any, api: str = "ollama", **keys: object) -> Outcome:
        """Ask a server that answers so: only what never ends is killed."""
        server = self.serve(action, action)
        probe = start(api, server.url, **keys)
        killer = threading.Timer(DEADLINE, probe.kill)
        killer.start()
        outcome = finish(probe)
        killer.cancel()
        self.assertNotEqual(outcome.status, -9, "it would have gone on for ever")
        return outcome

    def test_pieces_without_content(self) -> None:
        for api in APIS:
            action = Answer((Forever(self.EMPTY[api] * 1000),), type=self.TYPES[api])
            self.assert_fails(self.endless(action, api), "broken", "nothing in them", "--url")

    def test_pieces_without_content_after_some(self) -> None:
        first = b'{"message":{"content":"a"}}\n'
        action = Answer((Forever(self.EMPTY["ollama"] * 1000, first),))
        self.assert_fails(self.endless(action), "broken", "nothing in them")

    def bytes_that_are_nothing(self, api: str, nothing: bytes) -> None:
        action = Answer((Forever(nothing * (1 << 18)),), type=self.TYPES[api])
        self.assert_fails(self.endless(action, api), "broken", "nothing in it", "--url")

    def test_empty_lines_for_ollama(self) -> None:
        self.bytes_that_are_nothing("ollama", b"\n")

    def test_empty_lines_for_openai(self) -> None:
        self.bytes_that_are_nothing("openai", b"\n")

    def test_comments(self) -> None:
        self.bytes_that_are_nothing("openai", b": ping\n\n")

    def test_events_without_data(self) -> None:
        self.bytes_that_are_nothing("openai", b"event: ping\n\n")

    def test_data_without_bytes(self) -> None:
        self.bytes_that_are_nothing("openai", b"data:\n\n")

    def test_one_line_without_end(self) -> None:
        for api in APIS:
            begin = b'data: {"a":"' if api == "openai" else b'{"a":"'
            action = Answer((Forever(b"x" * (1 << 20), begin),), type=self.TYPES[api])
            self.assert_fails(self.endless(action, api), "broken", "of more than")

    def test_nothing_slowly(self) -> None:
        for api, nothing in (
            ("ollama", b"\n"),
            ("ollama", self.EMPTY["ollama"]),
            ("openai", b": ping\n\n"),
            ("openai", self.EMPTY["openai"]),
        ):
            with self.subTest(api, nothing=nothing):
                action = Answer((Forever(nothing, pause=0.1),), type=self.TYPES[api])
                outcome = self.endless(action, api, stall=700)
                self.assert_fails(outcome, "broken", "said nothing for 1 s", "--model")

    def test_one_document_slowly(self) -> None:
        action = Answer((Forever(b" ", b"{", pause=0.1),), type=JSON)
        outcome = self.endless(action, stall=700, stream=0)
        self.assert_fails(outcome, "broken", "said nothing for 1 s")

    def test_content_slowly_is_a_slow_model(self) -> None:
        piece = b'{"message":{"content":"a"}}\n'
        slow = (piece, Sleep(0.5)) * 4
        server = self.serve(Answer((*slow, b'{"done":true}\n')))
        self.assertEqual(self.ask(server, stall=900).content, "aaaa")

    def test_headers_without_end(self) -> None:
        ok = b"HTTP/1.1 200 OK\r\n"
        for again, first in (
            (b"X-Header: again\r\n" * 1000, ok),
            (b"x" * 100_000, ok + b"X-Header: "),
            (b"HTTP/1.1 100 Continue\r\n\r\n" * 1000, b""),
            (b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" * 1000, b""),
            (b"X-Trailer: again\r\n" * 1000, ok + b"Transfer-Encoding: chunked\r\n\r\n0\r\n"),
        ):
            with self.subTest(first=first, again=again[:40]):
                self.assert_fails(self.endless(Drop(Forever(again, first))), "broken")

    def test_headers_slowly(self) -> None:
        action = Drop(Forever(b"X-Header: again\r\n", b"HTTP/1.1 200 OK\r\n", pause=0.1))
        outcome = self.endless(action, stall=700)
        self.assert_fails(outcome, "broken", "said nothing for 1 s")

    def test_extension_of_a_chunk_without_end(self) -> None:
        head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        action = Drop(Forever(b"x" * (1 << 20), head + b"5;"))
        self.assert_fails(self.endless(action), "broken")

    def test_compressed_answers_are_not_unpacked(self) -> None:
        bomb = gzip.compress(b" " * (100 << 20))
        headers = (("Content-Encoding", "gzip"),)
        for api in APIS:
            for stream in STREAMS:
                action = Answer((bomb,), type=JSON, headers=headers)
                outcome = self.endless(action, api, stream=stream)
                self.assert_fails(outcome, "broken")

    def test_an_error_without_end(self) -> None:
        for parts in ((Forever(b"no " * 1000),), (Forever(b" ", b"no", pause=0.1),)):
            outcome = self.endless(Answer(parts, 500, "text/plain"), stall=700)
            self.assertEqual(outcome.failed, "broken")

    def test_redirections_without_end(self) -> None:
        headers = (("Location", "/api/chat"),)
        self.assert_fails(self.endless(Answer((b"",), 307, headers=headers)), "broken")

    def test_many_large_answers_on_one_connection(self) -> None:
        document = {"message": {"role": "assistant", "content": "x"}, "done": True, "more": "x" * 9_000_000}
        large = Answer((json.dumps(document).encode(),), type=JSON, length=True)
        server = FakeOllama(lambda _: large)
        self.addCleanup(server.close)
        outcome = self.ask(server, times=60, stream=0)  # more than one answer may have
        self.assertEqual(outcome.failed, None, outcome.last.get("error"))
        self.assertEqual((len(outcome.ends), server.connections), (60, 1))

    def test_cancelling_meanwhile(self) -> None:
        for action in (
            Answer((Forever(b": ping\n\n", pause=0.05),), type=SSE),
            Drop(Forever(b"HTTP/1.1 100 Continue\r\n\r\n", pause=0.01)),
        ):
            server = self.serve(action)
            probe = start("openai", server.url)
            while not server.requests:
                time.sleep(0.005)
            begun = time.monotonic()
            assert probe.stdin
            probe.stdin.write("x")
            probe.stdin.flush()
            self.assertEqual(finish(probe).failed, "cancelled")
            self.assertLess(time.monotonic() - begun, 2)


class TestDescriptors(WireCase):
    """What is open while a reply comes."""

    def test_no_child_would_inherit_a_descriptor(self) -> None:
        server = self.serve(lines({"message": {"content": "a"}}, Wait()))
        probe = start("ollama", server.url.replace("127.0.0.1", "localhost"))
        self.addCleanup(finish, probe)
        self.addCleanup(probe.kill)
        assert probe.stdout
        probe.stdout.readline()
        mine = set(os.listdir(f"/proc/{probe.pid}/fd")) - {"0", "1", "2"}
        self.assertTrue(mine)
        for fd in mine:
            info = Path(f"/proc/{probe.pid}/fdinfo/{fd}").read_text()
            flags = re.search(r"^flags:\s*(\d+)", info, re.MULTILINE)
            assert flags
            self.assertTrue(int(flags[1], 8) & os.O_CLOEXEC, f"{fd}: {info}")


class TestFacts(WireCase):
    """What a server knows of a model, and where it runs."""

    def test_capabilities(self) -> None:
        models = [Model("m:latest", ("completion", "tools", "thinking"), trained=40960)]
        outcome = self.ask(self.serve(models=models), what="show")
        wanted = {"known": 1, "tools": 1, "thinking": 1, "context": 40960}
        self.assertEqual(outcome.last, wanted)
        models = [Model("m:latest", ("completion", "toolsmith"))]
        outcome = self.ask(self.serve(models=models), what="show")
        self.assertEqual((outcome.known, outcome.tools, outcome.thinking), (1, 0, 0))

    def test_an_old_server_that_does_not_say(self) -> None:
        models = [Model("m:latest", None, template="{{ if .Tools }}x{{ end }}")]
        outcome = self.ask(self.serve(models=models), what="show")
        self.assertEqual((outcome.known, outcome.tools), (0, 1))

    def test_a_model_that_is_not_there(self) -> None:
        outcome = self.ask(self.serve(models=[Model("other:1b")]), what="show")
        self.assert_fails(outcome, "missing", "ollama pull m", "other:1b")

    def test_openai_cannot_say(self) -> None:
        server = self.serve()
        self.assertEqual(self.ask(server, "openai", what="show").known, 0)
        self.assertEqual(self.ask(server, "openai", what="place").loaded, 0)
        self.assertEqual(server.requests, [])

    def test_where_it_runs(self) -> None:
        models = [Model("other:1b", gpu=1), Model("M:latest", gpu=0.5, size=1000, context=4096)]
        outcome = self.ask(self.serve(models=models), what="place")
        self.assertEqual(outcome.last, {"loaded": 1, "size": 1000, "gpu": 500, "context": 4096})
        outcome = self.ask(self.serve(), what="place")
        self.assertEqual(outcome.loaded, 0)
        server = self.serve()
        server.on["/api/ps"] = error(404, "no")
        self.assertEqual(self.ask(server, what="place").loaded, 0)


class TestRecorded(WireCase):
    """What a real Ollama said, byte by byte (tests/fixtures/ollama)."""

    def test_a_document(self) -> None:
        outcome = self.ask(self.serve(recorded("chat-nostream")), stream=0)
        self.assertEqual(outcome.content, "```python\nprint(17 * 23)\n```\n")

    def test_a_model_that_it_has_not(self) -> None:
        for api, name in (("ollama", "chat-missing"), ("openai", "openai-missing")):
            server = FakeOllama.as_recorded([recorded(name)])
            self.addCleanup(server.close)
            outcome = self.ask(server, api, model="nosuch")
            self.assert_fails(outcome, "missing", "nosuch", *(["shot:latest, tool:latest"] if api == "ollama" else []))

    def test_refusals(self) -> None:
        for name, status, text in (
            ("bad-json", 400, "unexpected EOF"),
            ("bad-type", 400, "cannot unmarshal string into Go struct field ChatRequest.messages"),
            ("bad-options", 500, 'option "num_ctx" must be of type integer'),
            ("host-refused", 403, "OLLAMA_ORIGINS"),
        ):
            self.assert_fails(self.ask(self.serve(recorded(name))), "broken", text, str(status))

    def test_facts(self) -> None:
        server = FakeOllama.as_recorded()
        self.addCleanup(server.close)
        shown = self.ask(server, what="show", model="shot")
        self.assertEqual(shown.last, {"known": 1, "tools": 0, "thinking": 0, "context": 32768})
        placed = self.ask(server, what="place", model="shot")
        self.assertEqual(placed.last, {"loaded": 1, "size": 477798912, "gpu": 0, "context": 4096})
        missing = self.ask(server, what="show", model="nosuch")
        self.assert_fails(missing, "missing", "ollama pull nosuch", "shot:latest, tool:latest")


class TestUrl(WireCase):
    """OLLAMA_HOST as people write it, as far as a server here can answer."""

    def test_forms_that_reach_the_same_server(self) -> None:
        server = self.serve(*(reply("ok") for _ in range(8)))
        for form in (
            "127.0.0.1:{}",
            "http://127.0.0.1:{}",
            "localhost:{}",
            ":{}",
            "0.0.0.0:{}",
            "http://0.0.0.0:{}/",
            '"127.0.0.1:{}"',
            " http://localhost:{} ",
        ):
            outcome = self.ask(form.format(server.port))
            self.assertEqual(outcome.content, "ok", form)
