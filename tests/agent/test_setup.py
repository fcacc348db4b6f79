"""`glovebox agent setup`: what it says about a server, and the model it makes there."""

import json
import os
import pty
import re
import socket
import subprocess
import tempfile
import unittest
import unittest.mock
from pathlib import Path
from typing import Any

from support.messages import message, named, sentence
from support.model import JSON, Answer, FakeOllama, Forever, Model, Request, Wait, error, lines
from support.run import GLOVEBOX
from support.times import DEADLINE



class SetupCase(unittest.TestCase):
    """What the tests share."""

    def setUp(self) -> None:
        """Make a home without a configuration."""
        self.home = tempfile.mkdtemp()
        self.addCleanup(os.rmdir, self.home)

    def serve(self, *models: Model, **more: Any) -> FakeOllama:
        """Return a server that ends with the test."""
        server = FakeOllama(models=models, **more)
        self.addCleanup(server.close)
        return server

    def environment(self, url: str) -> dict[str, str]:
        """Return an environment that names the server."""
        return {**os.environ, "OLLAMA_HOST": url, "XDG_CONFIG_HOME": self.home}

    def set_up(self, server: FakeOllama | str, *flags: str) -> "subprocess.CompletedProcess[str]":
        """Run it without a terminal."""
        url = server if isinstance(server, str) else server.url
        return subprocess.run(
            [GLOVEBOX, "agent", "setup", *flags],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment(url),
            timeout=DEADLINE,
            check=False,
        )

    def sent(self, server: FakeOllama, path: str) -> list[Any]:
        """Return the bodies that a path was sent."""
        return [r.body for r in server.requests if r.path == path]

    def assert_fails(
        self, done: "subprocess.CompletedProcess[str]", status: int, *texts: str | re.Pattern[str]
    ) -> None:
        """Check the status, and the one line on stderr."""
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("glovebox: "), done.stderr)
        for text in texts:
            self.assertRegex(done.stderr, named(text))


class TestEndless(SetupCase):
    """Jobs whose end never comes."""

    def test_a_pull_that_says_the_same_for_ever(self) -> None:
        step = json.dumps({"status": "pulling", "completed": 7, "total": 8}).encode() + b"\n"
        for path, flags in (("/api/pull", ("--from", "new:7b", "--pull")), ("/api/create", ())):
            server = self.serve(Model("m"))
            server.on[path] = Answer((Forever(step * 1000),))
            self.assert_fails(self.set_up(server, *flags), 4, "nothing in them", "--url")


class TestSetup(SetupCase):
    """The ordinary way."""

    def test_the_tuned_model_is_made(self) -> None:
        server = self.serve(Model("qwen2.5-coder:7b"))
        done = self.set_up(server)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        (sent,) = self.sent(server, "/api/create")
        self.assertEqual((sent["model"], sent["from"]), ("code-interpreter", "qwen2.5-coder:7b"))
        self.assertEqual(sent["parameters"], {"temperature": 0.2, "num_ctx": 8192})
        self.assertIsInstance(sent["system"], str)
        self.assertGreater(len(sent["system"]), 100)
        self.assertIn("code-interpreter is ready", done.stdout)
        self.assertIn("Ollama 0.11.4 at " + server.url, done.stdout)
        self.assertEqual(self.sent(server, "/api/pull"), [])

    def test_models_are_listed_with_what_they_can(self) -> None:
        for in_tags in (False, True):
            server = self.serve(
                Model("llama3.2:3b", ("completion",), 2_000_000_000, in_tags=in_tags),
                Model("qwen3:8b", ("completion", "tools", "thinking"), in_tags=in_tags),
            )
            done = self.set_up(server)
            self.assertRegex(done.stdout, r"llama3.2:3b +2.0 GB +7.6B +Q4_K_M +completion\n")
            self.assertRegex(done.stdout, r"qwen3:8b +4.7 GB .* completion, tools, thinking\n")
            self.assertEqual(len(self.sent(server, "/api/show")), 0 if in_tags else 2)

    def test_an_old_server_does_not_say_what_they_can(self) -> None:
        server = self.serve(Model("old:7b", None))
        done = self.set_up(server, "--from", "old:7b")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("not said", done.stdout)
        self.assertNotIn("cannot call tools", done.stdout)

    def test_of_an_old_server_a_model_is_taken_too(self) -> None:
        server = self.serve(Model("b:latest", None))
        done = self.set_up(server)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.sent(server, "/api/create")[0]["from"], "b:latest")
        tools = Model("t:latest", None, template="{{ if .Tools }}x{{ end }}")
        server = self.serve(Model("b:latest", None), tools)
        done = self.set_up(server)
        self.assertEqual(self.sent(server, "/api/create")[0]["from"], "t:latest")
        self.assertRegex(done.stdout, r"t:latest .* completion, tools\n")

    def test_the_first_that_can_call_tools_is_taken(self) -> None:
        server = self.serve(
            Model("embed:latest", ("embedding",)),
            Model("talk:1b", ("completion",)),
            Model("code-interpreter:latest", ("completion", "tools")),
            Model("work:7b", ("completion", "tools")),
        )
        done = self.set_up(server, "--force")
        self.assertEqual(self.sent(server, "/api/create")[0]["from"], "work:7b")
        self.assertIn(f"It is {sentence('setup_choose#first installed')}; --from", done.stdout)

    def test_one_that_is_there_is_not_made_anew_unasked(self) -> None:
        server = self.serve(Model("a:1b"), Model("code-interpreter:latest"))
        done = self.set_up(server)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, message("setup_print_there", "code-interpreter", "--force"))
        self.assertEqual(self.sent(server, "/api/create"), [])
        done = self.set_up(server, "--force", "--from", "a:1b")
        self.assertIn("code-interpreter is ready", done.stdout)
        self.assertNotIn("It is the first", done.stdout)

    def test_else_the_first_that_can_talk(self) -> None:
        models = (Model("embed:latest", ("embedding",)), Model("talk:1b", ("completion",)))
        server = self.serve(*models)
        done = self.set_up(server)
        self.assertEqual(self.sent(server, "/api/create")[0]["from"], "talk:1b")
        self.assertRegex(done.stdout, message("setup_make"))

    def test_flags(self) -> None:
        server = self.serve(Model("a:1b"), Model("B:latest"))
        for flags in (("--from", "b"), ("--from=b",), ("--model", "b"), ("--model=b:latest",)):
            done = self.set_up("127.0.0.1:1", *flags, "--name", "mine", "--url", server.url)
            self.assertEqual(done.returncode, 0, done.stderr)
            sent = self.sent(server, "/api/create")[-1]
            self.assertEqual((sent["model"], sent["from"]), ("mine", "B:latest"))

    def test_help(self) -> None:
        done = self.set_up("127.0.0.1:1", "--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for flag in ("--from", "--name", "--pull", "--url"):
            self.assertIn(flag, done.stdout)


class TestRecorded(SetupCase):
    """What a real Ollama said, byte by byte (tests/fixtures/ollama)."""

    def setUp(self) -> None:
        super().setUp()
        self.server = FakeOllama.as_recorded()
        self.addCleanup(self.server.close)

    def test_a_model_is_made(self) -> None:
        done = self.set_up(self.server, "--from=shot", "--force")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(f"Ollama 0.0.0 at {self.server.url}", done.stdout)
        self.assertRegex(done.stdout, r"shot:latest +0.3 GB +268.10M +Q4_K_M +completion\n")
        self.assertIn("code-interpreter is ready", done.stdout)

    def test_a_download_that_it_refuses(self) -> None:
        done = self.set_up(self.server, "--from=nosuch", "--pull", "--force")
        self.assert_fails(done, 4, "nosuch", "pull model manifest: Get")


class TestPull(SetupCase):
    """A model that is fetched first."""

    def test_only_the_key_of_ollama_is_sent(self) -> None:
        keys = {"OPENAI_API_KEY": "sk-other", "GLOVEBOX_AGENT_API": "openai"}
        with unittest.mock.patch.dict(os.environ, keys):
            server = self.serve(Model("a:1b"))
            self.assertEqual(self.set_up(server).returncode, 0)
            self.assertFalse([r for r in server.requests if "sk-other" in str(r.headers)])
            with unittest.mock.patch.dict(os.environ, {"OLLAMA_API_KEY": "ours"}):
                self.set_up(server)
        self.assertIn("Bearer ours", str(server.requests[-1].headers))

    def test_only_on_request(self) -> None:
        server = self.serve(Model("a:1b"))
        done = self.set_up(server, "--from", "new:7b")
        self.assert_fails(done, 4, "not installed: new:7b", "--from new:7b --pull")
        self.assertEqual(self.sent(server, "/api/pull"), [])
        self.assertEqual(self.sent(server, "/api/create"), [])

    def test_plain_lines_without_a_terminal(self) -> None:
        server = self.serve()
        done = self.set_up(server, "--from", "new:7b", "--pull")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.sent(server, "/api/pull"), [{"model": "new:7b", "stream": True}])
        self.assertIn("pulling 00aa: 50% of 4.0 GB\n", done.stdout)
        self.assertLess(done.stdout.count("\n"), 40)
        self.assertNotRegex(done.stdout, "[\r\x1b]")
        self.assertEqual(self.sent(server, "/api/create")[0]["from"], "new:7b")

    def test_a_bar_at_a_terminal(self) -> None:
        server = self.serve()
        main, other = pty.openpty()
        process = subprocess.Popen(
            [GLOVEBOX, "agent", "setup", "--from", "new:7b", "--pull"],
            stdin=subprocess.DEVNULL,
            stdout=other,
            env=self.environment(server.url),
        )
        os.close(other)
        said = b""
        try:
            while part := os.read(main, 65536):
                said += part
        except OSError:  # the other side is closed
            pass
        os.close(main)
        self.assertEqual(process.wait(DEADLINE), 0)
        self.assertIn(b"[###############...............]  50%", said)
        self.assertIn(b"100%", said)

    def test_what_is_there_is_not_fetched(self) -> None:
        server = self.serve(Model("a:1b"))
        self.assertEqual(self.set_up(server, "--from", "a:1b", "--pull").returncode, 0)
        self.assertEqual(self.sent(server, "/api/pull"), [])

    def test_without_a_name_a_small_coder_is_fetched(self) -> None:
        server = self.serve()
        self.assertEqual(self.set_up(server, "--pull").returncode, 0)
        self.assertEqual(self.sent(server, "/api/pull")[0]["model"], "qwen2.5-coder:7b")

    def test_the_registry_does_not_know_it(self) -> None:
        server = self.serve()
        server.on["/api/pull"] = lines(
            {"status": "pulling manifest"}, {"error": "pull model manifest: file does not exist"}
        )
        done = self.set_up(server, "--from", "nope:7b", "--pull")
        self.assert_fails(done, 4, "nope:7b", "file does not exist")
        self.assertEqual(self.sent(server, "/api/create"), [])

    def test_a_download_that_breaks_off(self) -> None:
        server = self.serve()
        server.on["/api/pull"] = lines({"status": "pulling manifest"})
        self.assert_fails(self.set_up(server, "--from", "n:7b", "--pull"), 4, "in the middle")


class TestFailure(SetupCase):
    """What can go wrong, and its one line."""

    def test_nobody_can_read_it(self) -> None:
        url = self.serve(Model("a:1b")).url
        for words in (("--help",), ("setup", "--help"), ("setup",), ("generate", "man")):
            command = "glovebox-agent" if "generate" in words else "glovebox"
            with self.subTest(words), open("/dev/full", "wb") as full:
                done = subprocess.run(
                    [Path(GLOVEBOX).with_name(command), *(["agent"] if command == "glovebox" else []), *words],
                    stdin=subprocess.DEVNULL,
                    stdout=full,
                    stderr=subprocess.PIPE,
                    text=True,
                    env=self.environment(url),
                    timeout=DEADLINE,
                    check=False,
                )
                self.assertEqual(done.returncode, 125)
                self.assertIn(f"{sentence('io_finish')}: No space left", done.stderr)

    def test_no_server(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as held:
            port = held.getsockname()[1]
        self.assert_fails(
            self.set_up(f"127.0.0.1:{port}"), 4, f"http://127.0.0.1:{port}", "ollama serve"
        )

    def test_another_server(self) -> None:
        server = self.serve()
        server.on["/api/version"] = Answer((b"<html>hello</html>",), type="text/html")
        self.assert_fails(self.set_up(server), 4, "text/html")
        server.on["/api/version"] = Answer((b"404 page not found",), 404, "text/plain")
        self.assert_fails(self.set_up(server), 4, "no /api/version")

    def test_no_model(self) -> None:
        done = self.set_up(self.serve())
        self.assert_fails(done, 4, "no model", "--from qwen2.5-coder:7b --pull")
        self.assertRegex(done.stdout, message("setup_print_models#model"))

    def test_the_server_refuses_to_make_it(self) -> None:
        server = self.serve(Model("a:1b"))
        for action, text in (
            (error(400, "neither 'from' or 'files' was specified"), "neither 'from'"),
            (lines({"status": "reading"}, {"error": "no space left on device"}), "no space left"),
            (lines({"status": "reading"}), "in the middle"),
        ):
            server.on["/api/create"] = action
            done = self.set_up(server)
            self.assert_fails(done, 4, text)
            self.assertNotIn("is ready", done.stdout)

    def test_the_missing_base_is_named(self) -> None:
        server = self.serve()
        server.on["/api/pull"] = lines({"status": "success"})
        server.on["/api/create"] = error(404, "model 'zz' not found")
        done = self.set_up(server, "--from", "zz", "--pull")
        self.assert_fails(done, 4, '"zz" is not installed', "`ollama pull zz`")

    def test_no_flag_is_named_that_there_is_not(self) -> None:
        server = self.serve(Model("a:1b"))
        server.on["/api/create"] = Answer((b"405 method not allowed",), 405, "text/plain")
        done = self.set_up(server)
        self.assert_fails(done, 4, "no /api/create (405 method not allowed): setup needs Ollama")
        self.assertNotIn("--api", done.stderr)

    def test_wrong_flags(self) -> None:
        for flags, text in (
            (("--what",), "unknown flag: --what"),
            (("x",), "unknown flag: x"),
            (("--from",), "needs an argument"),
            (("--from=",), "an empty value"),
            (("--fromage", "x"), "unknown flag: --fromage"),
            (("--url", "ftp://x"), "not http or https"),
            (("--from", "code-interpreter:latest"), message("setup_read_flags#itself", "code-interpreter")),
        ):
            self.assert_fails(self.set_up("127.0.0.1:1", *flags), 125, text)

    def test_a_wrong_port_is_told(self) -> None:
        server = self.serve()
        done = self.set_up(server, "--url", "127.0.0.1:port")
        self.assertRegex(done.stderr, message("server_url_port_of", '"port"'))

    def test_nothing_of_the_server_reaches_the_terminal_raw(self) -> None:
        evil = "\x1b]0;owned\x07\x9b31m\u202e\n"
        server = self.serve(version=evil)

        def tags(_: Request) -> Answer:
            row = {
                "name": "a" + evil,
                "size": 1,
                "details": {"parameter_size": evil, "quantization_level": evil},
                "capabilities": ["tools", evil],
            }
            return Answer((json.dumps({"models": [row]}).encode(),), type=JSON)

        server.on["/api/tags"] = tags
        server.on["/api/create"] = lines({"status": evil}, {"error": evil})
        done = self.set_up(server)
        self.assertEqual(done.returncode, 4)
        for text in (done.stdout, done.stderr):
            self.assertIsNone(re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", text), text)
            self.assertNotIn("\u202e", text)

    def test_ctrl_c_ends_it(self) -> None:
        server = self.serve()
        server.on["/api/version"] = Answer((Wait(),))
        process = subprocess.Popen(
            [GLOVEBOX, "agent", "setup"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env=self.environment(server.url),
        )
        while not server.requests:
            self.assertIsNone(process.poll())
        process.send_signal(2)
        self.assertNotEqual(process.wait(DEADLINE), 0)
