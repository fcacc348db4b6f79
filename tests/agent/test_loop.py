"""The loop, end to end: a scripted model, the real sandbox."""

import json
import os
import re
import shutil
import signal
import ssl
import subprocess
import time
import unittest
import urllib.request
from pathlib import Path

from support.agent import READY, STUBBORN, AgentCase, Run, answer, fence, has_image
from support.messages import message, sentence
from support.model import Action, Answer, Call, Drop, FakeOllama, Model, Reply, Wait, call, error, reply
from support.processes import children
from support.run import GLOVEBOX, OWNER, execute
from support.serve import certificate
from support.times import DEADLINE, wait_until

MODEL = (Model("m:latest", ("completion",)),)
TOOLS = (Model("m:latest", ("completion", "tools")),)


class Loop(AgentCase):
    """What the loop does with replies and with what their code does."""

    def test_an_answer_after_code(self) -> None:
        (self.workspace / "n.txt").write_text("41\n")
        run = self.agent([fence("n = int(open('/data/n.txt').read())", "n + 1"), answer("It is 42.")])
        self.assert_status(run.result)
        self.assertEqual(run.end["outcome"], "answered")
        self.assertEqual(run.end["answer"], "It is 42.")
        self.assertEqual(run.end["iterations_used"], 2)
        self.assertEqual(run.verdicts, ["ok"])
        self.assertIn("[EXECUTION RESULT]", run.told(1))
        self.assertIn("42", run.told(1))
        self.assertIn("n.txt", run.chats[0]["messages"][0]["content"])

    def test_plain_output_is_the_answer_alone(self) -> None:
        run = self.agent([fence("print('x')"), answer("done")], json=False)
        self.assert_status(run.result)
        self.assertEqual(run.result.out, "done\n")

    def test_a_failure_is_told_and_repaired(self) -> None:
        run = self.agent(
            [
                fence("def f(x):", "    return 1 / x", "f(0)"),
                fence("print(1 / 2)"),
                answer("0.5"),
            ]
        )
        self.assert_status(run.result)
        self.assertEqual(run.verdicts, ["error", "ok"])
        for word in ("Traceback", "line 2, in f", "return 1 / x", "ZeroDivisionError"):
            self.assertIn(word, run.told(1))

    def test_what_is_almost_python_runs_as_in_a_session(self) -> None:
        blocks = (
            "```pycon\n>>> x = 6\n>>> print(x * 7)\n42\n```",
            "```jupyter\n%matplotlib inline\n!echo shell {x}\n!pip install nothing\n```",
            "```Python-REPL title=x\n    y\u00a0= 1\n    print(\u201cquoted\u201d, x \u2212 y)\n```",
            "```ipython\nfrom IPython.display import display\n%%time\nprint('before'); display('shown'); print('behind')\n```",
        )
        for state in ("session", "fresh"):
            with self.subTest(state=state):
                run = self.agent([reply("\n".join(blocks)), answer("done")], f"--state={state}")
                self.assertEqual(run.verdicts, ["ok"])
                for word in ("42\nshell 6\n", "pip: there is no network here", "quoted 5\n", "before\n'shown'\nbehind\n", "Wall time"):
                    self.assertIn(word, run.told(1))

    def test_an_endless_loop_is_ended_and_repaired(self) -> None:
        run = self.agent(
            [fence("x = 7", "while True: pass"), fence("print(x)"), answer("7")],
            "--timeout=1s",
        )
        self.assert_status(run.result)
        self.assertEqual(run.verdicts, ["timeout", "ok"])
        self.assertRegex(run.told(1), message("report_say_ending#TIMEOUT", 1))
        self.assertIn("7", run.told(2))  # variables survive an interrupt

    def test_code_that_no_interrupt_reaches_is_killed_and_replaced(self) -> None:
        run = self.agent([fence("x = 1", STUBBORN), fence("x"), answer("gone"), answer("gone")], "--timeout=1s")
        self.assert_status(run.result)
        self.assertEqual(run.verdicts, ["timeout", "error"])
        self.assertTrue(run.of("executed")[0]["state_lost"])
        self.assertIn("NameError", run.told(2))

    def test_a_memory_hog_is_told_the_limit_by_name(self) -> None:
        run = self.agent(
            [
                fence("x = bytearray(400 << 20)", "for i in range(0, len(x), 4096): x[i] = 1"),
                fence("print('small')"),
                answer("fine"),
            ],
            "--memory=128m",
        )
        self.assert_status(run.result)
        self.assertEqual(run.verdicts, ["memory", "ok"])
        self.assertRegex(run.told(1), r"(?i)memory limit")
        self.assertIn("128", run.told(1))
        self.assertTrue(run.of("executed")[0]["state_lost"])

    def test_sockets_that_exceed_the_memory_limit_are_told(self) -> None:
        code = (
            "import socket, time",
            "server = socket.create_server(('127.0.0.1', 0), backlog=4000)",
            "for _ in range(3000): socket.create_connection(server.getsockname()).close()",
            "time.sleep(1000)",
        )
        run = self.agent([fence(*code), answer("fine"), answer("fine")], "--memory=128m")
        self.assert_status(run.result)
        self.assertEqual(run.verdicts, ["memory"])
        self.assertRegex(run.told(1), r"memory limit of 128.*, in sockets\n")

    def test_a_crash_is_told(self) -> None:
        run = self.agent([fence("import os", "os._exit(3)"), fence("1 + 1"), answer("2")])
        self.assert_status(run.result)
        self.assertEqual(run.verdicts, ["crashed", "ok"])
        self.assertEqual(run.of("executed")[0]["exit_code"], 3)
        self.assertIn("exit code 3", run.told(1))

    def test_a_process_that_ends_by_a_signal_is_told_so(self) -> None:
        kill = fence("import os", "os.kill(os.getpid(), 11)")
        run = self.agent([kill, answer("no")])
        self.assertEqual(run.verdicts, ["crashed"])
        self.assertEqual(run.of("executed")[0]["exit_code"], 128 + 11)

    def test_a_channel_that_is_closed_does_not_hold_the_agent(self) -> None:
        close = ("import os, time", "null = os.open('/dev/null', os.O_RDWR)",
                 "for fd in range(3, 64): os.dup2(null, fd)", "time.sleep(90)")  # fmt: skip
        run = self.agent([fence(*close), answer("no")])
        self.assertEqual(run.verdicts, ["crashed"])
        self.assertLess(run.of("executed")[0]["duration_us"], 5_000_000)

    def test_code_that_never_works_ends_at_the_cap(self) -> None:
        run = self.agent([fence(f"raise ValueError({n})") for n in range(9)], "--iterations=4")
        self.assert_status(run.result, 3)
        self.assertEqual(run.end["outcome"], "cap")
        self.assertIsNone(run.end["answer"])
        self.assertEqual(run.verdicts, ["error"] * 4)
        self.assertEqual(len(run.chats), 4)

    def test_the_same_failing_code_does_not_run_a_third_time(self) -> None:
        same = fence("open('/output/runs', 'a').write('x')", "1 / 0")
        run = self.agent([same, same, same, same, answer("no"), answer("no")], "--iterations=9")
        self.assert_status(run.result)
        self.assertEqual((self.output / "runs").read_text(), "xx")
        self.assertEqual(run.verdicts, ["error", "error"])
        self.assertEqual(len(run.of("feedback")), 3)

    def test_the_model_learns_how_many_rounds_are_left(self) -> None:
        run = self.agent([fence("1"), fence("2"), answer("x")], "--iterations=3")
        self.assertIn("2", run.told(1))
        self.assertNotEqual(run.told(1), run.told(2))

    def test_a_reply_without_code_is_asked_for_one(self) -> None:
        run = self.agent([reply("I will now read the file."), fence("1"), answer("x")])
        self.assert_status(run.result)
        self.assertEqual(len(run.of("feedback")), 1)
        self.assertTrue(run.of("feedback")[0]["text"].endswith("\nReplies left: 5\n"), run.told(1))

    def test_an_empty_reply_is_asked_for_once_more(self) -> None:
        run = self.agent([reply(""), answer("x")])
        self.assert_status(run.result)
        self.assertEqual(run.end["iterations_used"], 1)

    def test_code_that_was_cut_off_is_not_run(self) -> None:
        cut = reply("```python\nopen('/output/cut', 'w')\nprint(1", reason="length")
        run = self.agent([cut, fence("1"), answer("x")])
        self.assert_status(run.result)
        self.assertFalse((self.output / "cut").exists())
        self.assertIn("cut off", run.told(1))

    def test_an_answer_that_only_shows_code_is_not_one(self) -> None:
        shown = answer("Run this:\n```python\nprint(1)\n```\nand see.")
        run = self.agent([shown, fence("print(1)"), answer("1")])
        self.assert_status(run.result)
        self.assertEqual(run.verdicts, ["ok"])
        self.assertEqual(run.end["answer"], "1")

    def test_thoughts_are_never_run(self) -> None:
        thought = "<think>```python\nopen('/output/thought','w')\n```</think>"
        run = self.agent(
            [
                reply(thought + "<FINAL_ANSWER>x</FINAL_ANSWER>"),
            ]
        )
        self.assert_status(run.result)
        self.assertEqual(run.verdicts, [])
        self.assertFalse((self.output / "thought").exists())

    def test_a_session_keeps_variables_and_fresh_does_not(self) -> None:
        script = [fence("x = 1"), fence("print('x' in globals())"), answer("ok")]
        run = self.agent(script)
        self.assertEqual(run.of("executed")[1]["stdout"], "True\n")
        run = self.agent(script, "--state=fresh")
        self.assert_status(run.result)
        self.assertEqual(run.of("executed")[1]["stdout"], "False\n")
        self.assertFalse(run.of("executed")[1]["state_lost"])

    def test_files_are_listed_as_they_appear(self) -> None:
        old = self.output / "old.txt"
        old.write_text("old")
        os.chown(old, *OWNER)
        run = self.agent(
            [
                fence("import os", "os.makedirs('a/b')", "open('a/b/c.txt','w').write('123')"),
                fence("open('/output/old.txt','a').write('!')"),
                answer("ok"),
            ]
        )
        self.assert_status(run.result)
        first, second = run.of("executed")
        self.assertEqual(first["files"], [{"path": "a/b/c.txt", "size": 3}])
        self.assertEqual(second["files"], [{"path": "old.txt", "size": 4}])
        self.assertIn("c.txt", run.told(1))
        paths = {f["path"] for f in run.end["files"]}
        self.assertEqual(paths, {"a/b/c.txt", "old.txt"})

    def test_the_result_names_no_files_that_are_gone(self) -> None:
        make = "for name in 'abcdef': open(name, 'w').write(name)"
        lose = [
            "import os",
            "os.remove('a'); os.rename('b', 'z')",
            "os.remove('c'); os.symlink('d', 'c')",
            "os.remove('e'); os.mkdir('e')",
            "os.makedirs('g'); os.rename('f', 'g/f')",
            "open('h', 'w').close(); os.remove('h')",
        ]
        move = ["os.rename('g', 'i')", "os.symlink('i', 'g')"]
        run = self.agent([fence(make), fence(*lose), fence(*move), answer("ok")])
        self.assert_status(run.result)
        self.assertEqual(len(run.of("executed")[0]["files"]), 6)
        paths = [f["path"] for f in run.end["files"]]
        self.assertEqual(sorted(paths), ["d", "i/f", "z"])

    def test_a_file_that_comes_back_is_named_once(self) -> None:
        make, lose = "open('a', 'w').write('{}')", "import os; os.remove('a')"
        script = [make.format("1"), lose, make.format("12")]
        run = self.agent([*(fence(code) for code in script), answer("ok")])
        self.assert_status(run.result)
        self.assertEqual(run.end["files"], [{"path": "a", "size": 2}])


class Talk(AgentCase):
    """Both ways of handing over code, and what servers refuse."""

    def test_tool_calls(self) -> None:
        script = [call("print(6 * 7)", "multiply"), reply("It is 42.")]
        run = self.agent(script, models=TOOLS)
        self.assert_status(run.result)
        self.assertEqual(run.end["answer"], "It is 42.")
        self.assertIn("tools", run.chats[0])
        self.assertEqual(run.of("execute")[0]["description"], "multiply")
        asked, told = run.chats[1]["messages"][-2:]
        self.assertEqual(asked["tool_calls"][0]["function"]["arguments"]["code"], "print(6 * 7)")
        self.assertEqual((told["role"], told["tool_name"]), ("tool", "execute_python"))
        self.assertIn("42", told["content"])

    def test_every_call_of_a_reply_is_answered(self) -> None:
        calls = tuple(Call(arguments={"code": f"print({n})"}, id=f"c{n}") for n in range(10))
        run = self.agent([Reply(calls=calls), reply("done")], models=TOOLS)
        self.assert_status(run.result)
        told = [m for m in run.chats[1]["messages"] if m["role"] == "tool"]
        self.assertEqual(len(told), 10)
        self.assertEqual(len(run.verdicts), 8)

    def test_a_wrong_tool_is_not_run(self) -> None:
        run = self.agent(
            [
                Reply(calls=(Call("shell", {"command": "id"}),)),
                Reply(calls=(Call("execute_python", {}),)),
                call("1"),
                reply("done"),
            ],
            models=TOOLS,
        )
        self.assert_status(run.result)
        self.assertEqual(run.verdicts, ["ok"])
        self.assertEqual(len(run.of("feedback")), 2)

    def test_a_call_of_final_answer_is_the_answer(self) -> None:
        calls = (Call("final_answer", {"answer": "It is 42."}),)
        run = self.agent([call("6 * 7"), Reply(calls=calls)], models=TOOLS)
        self.assert_status(run.result)
        self.assertEqual((run.end["outcome"], run.end["answer"]), ("answered", "It is 42."))
        self.assertEqual(run.of("feedback"), [])

    def test_tools_are_taken_back_when_the_server_refuses_them(self) -> None:
        refusal = error(400, "registry.ollama.ai/library/m:latest does not support tools")
        run = self.agent([refusal, fence("1"), answer("x")], "--mode=tools", models=(Model("m:latest", None),))
        self.assert_status(run.result)
        self.assertIn("tools", run.chats[0])
        self.assertNotIn("tools", run.chats[1])
        self.assertTrue(run.of("notice"))

    def test_thinking_is_taken_back_when_the_server_refuses_it(self) -> None:
        refusal = error(400, '"m" does not support thinking')
        run = self.agent([refusal, answer("x")], "--think", models=(Model("m:latest", None),))
        self.assert_status(run.result)
        self.assertTrue(run.chats[0]["think"])
        self.assertFalse(run.chats[1].get("think"))

    def test_fenced_is_fenced_whatever_the_model_can(self) -> None:
        run = self.agent([fence("1"), answer("x")], "--mode=fenced", models=TOOLS)
        self.assert_status(run.result)
        self.assertNotIn("tools", run.chats[0])

    def test_an_openai_server(self) -> None:
        script = [fence("print(6 * 7)"), answer("42")]
        run = self.agent(script, "--api=openai", env={"OPENAI_API_KEY": "secret"})
        self.assert_status(run.result)
        self.assertEqual(run.verdicts, ["ok"])
        self.assertIn("42", run.told(1))

    def test_an_openai_server_with_tools(self) -> None:
        script = [call("print(6 * 7)"), reply("42")]
        run = self.agent(script, "--api=openai", "--mode=tools")
        self.assert_status(run.result)
        self.assertEqual(run.verdicts, ["ok"])
        told = run.chats[1]["messages"][-1]
        self.assertEqual((told["role"], told["tool_call_id"]), ("tool", "call_abcd1234"))

    def test_options_reach_the_server(self) -> None:
        run = self.agent([answer("x")], "--num-ctx=4096", "--temperature=0.7", "--seed=5", "--keep-alive=9m")
        options = run.chats[0]["options"]
        self.assertEqual((options["num_ctx"], options["temperature"], options["seed"]), (4096, 0.7, 5))
        self.assertEqual(run.chats[0]["keep_alive"], "9m")

    def test_without_stream(self) -> None:
        run = self.agent([fence("1"), answer("x")], "--no-stream")
        self.assert_status(run.result)
        self.assertFalse(run.chats[0]["stream"])

    def test_a_model_on_the_cpu_is_warned_of(self) -> None:
        models = (Model("m:latest", ("completion",), gpu=0.0, context=2048),)
        run = self.agent([answer("x")], models=models)
        said = " ".join(e["text"] for e in run.of("notice"))
        self.assertIn("CPU", said)
        self.assertIn("2048", said)

    def test_another_model_than_asked_for_is_warned_of(self) -> None:
        run = self.agent([answer("x")])
        self.assertEqual(run.of("notice"), [])
        run = self.agent([reply("<FINAL_ANSWER>x</FINAL_ANSWER>", model="other:7b")])
        self.assertIn("other:7b", run.of("notice")[0]["text"])

    def test_a_long_conversation_is_trimmed(self) -> None:
        noisy = [fence(f"print('word ' * 3000, {n})") for n in range(6)]
        run = self.agent([*noisy, answer("x")], "--iterations=10", "--num-ctx=1536")
        self.assert_status(run.result)
        last = run.chats[-1]["messages"]
        self.assertEqual(last[0]["role"], "system")
        self.assertIn("Installed: the standard library", last[0]["content"])
        self.assertEqual(last[1]["content"], "do it")
        self.assertLess(len(last), 14)
        self.assertGreaterEqual(len(last), 6)


class Ends(AgentCase):
    """Exit statuses, interrupts, and what is left behind."""

    def begin(self, fake: FakeOllama, *flags: str) -> subprocess.Popen[bytes]:
        """Start an agent whose script is endless."""
        words = [*flags, "--json", "wait"]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return self.start(self.command(fake.url, *words), env=self.env(), **pipes)

    def end_of(self, process: subprocess.Popen[bytes], status: int) -> dict[str, object]:
        """Wait for its end and return the result."""
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, status, err.decode())
        return json.loads(out.splitlines()[-1])

    def test_no_server(self) -> None:
        result = execute(self.command("http://127.0.0.1:9", "--json", "x"), env=self.env())
        self.assert_status(result, 4)
        last = json.loads(result.out.splitlines()[-1])
        self.assertEqual(last["outcome"], "model")
        self.assertIn("127.0.0.1:9", last["error"])

    def test_a_missing_model(self) -> None:
        run = self.agent([], "--model=other")
        self.assert_status(run.result, 4)
        self.assertIn("m:latest", run.end["error"])

    def test_a_server_that_breaks(self) -> None:
        run = self.agent([error(500, "llama runner process has terminated")])
        self.assert_status(run.result, 4)
        self.assertIn("terminated", run.end["error"])

    def test_an_image_that_is_not_there(self) -> None:
        run = self.agent([], "--image=no-such-image")
        self.assert_status(run.result, 125)
        self.assertIn("no-such-image", run.result.err)
        self.assertEqual(run.chats, [])

    def test_wrong_flags(self) -> None:
        for flags in (["--iterations=0"], ["--volume=/:/x"], ["--memory=tiny"], ["--system=/none"]):
            with self.subTest(flags):
                run = self.agent([], *flags)
                self.assert_status(run.result, 125)
                self.assertEqual(run.chats, [])

    def test_the_deadline_ends_a_generation(self) -> None:
        run = self.agent([Answer((Wait(),))], "--deadline=500ms")
        self.assert_status(run.result, 3)
        self.assertEqual(run.end["outcome"], "deadline")

    def test_an_answer_that_cannot_be_written_is_no_success(self) -> None:
        for flags in ([], ["--json"]):
            with FakeOllama([answer("42")], (Model("m:latest", ()),)) as fake, open("/dev/full", "w") as full:
                command = self.command(fake.url, *flags, "ask")
                process = self.start(command, env=self.env(), stdout=full, stderr=subprocess.PIPE)
                _, said = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 125)
            self.assertIn(f"glovebox: {sentence('io_finish')}: No space left on device\n".encode(), said)

    def test_an_answer_for_which_there_is_no_stdout_is_no_success(self) -> None:
        for flags in ([], ["--json"]):
            with FakeOllama([answer("42")], (Model("m:latest", ()),)) as fake:
                closed = ["/bin/sh", "-c", '"$@" >&-', "sh", *self.command(fake.url, *flags, "ask")]
                result = execute(closed, env=self.env())
            self.assert_status(result, 125)
            self.assertIn(f"glovebox: {sentence('io_finish')}: Bad file descriptor\n", result.err)

    def test_a_reader_that_leaves_ends_it_as_a_pipeline_does(self) -> None:
        for flags in ([], ["--json"]):
            ours, theirs = os.pipe()
            os.close(ours)
            with FakeOllama([answer("42")], (Model("m:latest", ()),)) as fake:
                command = self.command(fake.url, *flags, "ask")
                process = self.start(command, env=self.env(), stdout=theirs, stderr=subprocess.PIPE)
                os.close(theirs)
                _, said = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 128 + signal.SIGPIPE)
            self.assertNotIn(b"standard output", said)

    def test_a_blank_task_is_refused(self) -> None:
        for task in (" ", "\t\n"):
            run = self.agent([], task=task, json=False)
            self.assert_refused(run.result, message("main_check_task"))

    def test_without_an_iteration_there_is_nothing_to_sum_up(self) -> None:
        run = self.agent([], "--model=missing", json=False)
        self.assert_status(run.result, 4)
        self.assertEqual(run.result.err.count("\n"), 1, run.result.err)

    def test_limits_that_no_cell_has_are_refused_before_a_request(self) -> None:
        for flag in ("--cpuset-cpus=0", "--cpu-time=3s", "--ulimit=nofile=100", "--memory=0"):
            run = self.agent([answer("no")], flag, json=False)
            self.assert_refused(run.result, message("session_spec_check" if flag == "--memory=0" else "agent_settings_of#sandbox"))
            self.assertEqual(run.chats, [])

    def test_the_deadline_ends_an_execution(self) -> None:
        run = self.agent([fence("while True: pass")], "--deadline=1500ms")
        self.assert_status(run.result, 3)
        self.assertEqual(run.end["outcome"], "deadline")
        self.assertEqual(run.verdicts, ["timeout"])

    def test_an_empty_task_is_refused(self) -> None:
        with FakeOllama([answer("x")], MODEL) as fake:
            for task in ("", " "):
                result = execute([*self.command(fake.url), task], stdin=b"of the pipe", env=self.env())
                self.assert_refused(result, message("main_check_task"))
            self.assertEqual(fake.requests, [])

    def test_the_model_is_told_which_hosts_are_reached(self) -> None:
        listed = "no network but to pypi.org, files.pythonhosted.org, no input()"
        for flags, says in (([], "no network, no pip, no input()"), (["--egress", "pypi"], listed)):
            run = self.agent([answer("no")], *flags)
            self.assertIn(f"Only Python: no shell, {says}.", run.chats[0]["messages"][0]["content"])

    def test_a_port_that_was_taken_is_told_once_for_each_session(self) -> None:
        script = [fence("1"), fence("2"), answer("done")]
        taken = r"127\.0\.0\.1:\d+ is port 8000 inside"
        for flags, sessions in ((["-p", "8000"], 1), (["-p", "8000", "--state=fresh"], 2)):
            run = self.agent([*script], *flags)
            self.assert_status(run.result)
            told = [event["text"] for event in run.of("notice")]
            self.assertEqual(len(told), sessions, told)
            for line in told:
                self.assertRegex(line, rf"\A{taken}\Z")
            self.assertNotIn("port", run.result.err)
        run = self.agent([*script], "-p", "8000", json=False)
        self.assertEqual(self.assert_status(run.result).out, "done\n")
        self.assertEqual(len(re.findall(rf"^glovebox: {taken}$", run.result.err, re.M)), 1, run.result.err)

    def test_a_port_that_was_told_leads_inside(self) -> None:
        transcript = self.folder / "transcript"
        serve = fence("import http.server, threading", "h = http.server.SimpleHTTPRequestHandler", "h.log_message = lambda *_: None",
                      "s = http.server.HTTPServer(('127.0.0.1', 8000), h)", "open('page', 'w').write('from inside')",
                      "threading.Thread(target=s.serve_forever, daemon=True).start()")  # fmt: skip
        script = [serve]

        def act(_: object) -> Action:
            if script:
                return script.pop()
            found = re.search(r"127\.0\.0\.1:\d+(?= is port 8000 inside)", transcript.read_text())
            with urllib.request.urlopen(f"http://{found[0] if found else 'nowhere'}/page", timeout=DEADLINE) as page:
                return answer(page.read().decode())

        run = self.agent(act, "-p", "8000", "--transcript", str(transcript))
        self.assertEqual(run.end["answer"], "from inside")

    def test_a_placeholder_that_there_is_not_is_told_before_anything_is_asked(self) -> None:
        system = self.file("system.txt", "{{rounds}} {{foo}}")
        with FakeOllama([answer("x")], MODEL) as fake:
            result = execute([*self.command(fake.url), "--system", str(system), "x"], env=self.env())
            self.assert_refused(result, "--system: unknown placeholder {{foo}}")
            self.assertEqual(fake.requests, [])

    def test_a_port_that_is_none_is_told(self) -> None:
        for port in ("99999", "abc", "0", ""):
            result = execute(self.command(f"127.0.0.1:{port}", "--deadline=1s", "x"), env=self.env())
            self.assertRegex(result.err, message("server_url_port_of"))
            self.assertIn("using 11434", result.err)

    def test_json_ends_with_a_result_when_nothing_was_begun(self) -> None:
        with FakeOllama([answer("x")], MODEL) as fake:
            for flag in (
                "--image=nope",
                "--memory=1",
                "--workspace=/nope",
                "--transcript=/nope/x",
                "--system=/nope",
                "--url=ftp://x",
                "--timeout=x",
                "--unknown",
            ):
                with self.subTest(flag):
                    result = execute([*self.command(fake.url, flag), "x", "--json"], env=self.env())
                    self.assert_status(result, 125)
                    end = json.loads(result.stdout)
                    self.assertEqual((end["event"], end["outcome"]), ("result", "refused"))
                    self.assertIn(end["error"], result.err)
                    self.assertEqual(result.err.count("\n"), 1)

    def test_ps_lists_it_and_kill_ends_it(self) -> None:
        with FakeOllama([Answer((Wait(),))], (Model("m:latest", ()),)) as fake:
            process = self.begin(fake)
            self.assertTrue(wait_until(lambda: fake.chats))
            listed = execute([GLOVEBOX, "ps", "--json"], env=self.env()).json["running"]
            (row,) = (row for row in listed if row["pid"] == process.pid)
            self.assertEqual((row["kind"], row["command"]), ("agent", "wait"))
            self.assert_prints(row["name"], execute([GLOVEBOX, "kill", row["name"]], env=self.env()))
            self.assertIsNotNone(process.wait(60))

    def test_ctrl_c_ends_a_generation(self) -> None:
        with FakeOllama([Answer((Wait(),))], (Model("m:latest", ()),)) as fake:
            process = self.begin(fake)
            self.assertTrue(wait_until(lambda: fake.chats))
            process.send_signal(signal.SIGINT)
            self.assertEqual(self.end_of(process, 130)["outcome"], "cancelled")

    def test_ctrl_c_ends_an_execution(self) -> None:
        code = fence(READY, "while True: pass")
        with FakeOllama([code], (Model("m:latest", ()),)) as fake:
            process = self.begin(fake)
            self.assertTrue(wait_until((self.output / "ready").exists))
            process.send_signal(signal.SIGINT)
            end = self.end_of(process, 130)
        self.assertEqual(end["outcome"], "cancelled")
        self.assertEqual(end["executions"][0]["verdict"], "cancelled")

    def test_ctrl_c_twice_does_not_wait_for_the_code(self) -> None:
        code = fence(STUBBORN)
        with FakeOllama([code], (Model("m:latest", ()),)) as fake:
            process = self.begin(fake)
            self.assertTrue(wait_until((self.output / "ready").exists))
            process.send_signal(signal.SIGINT)
            self.assertTrue(wait_until((self.output / "again").exists))
            start = time.monotonic()
            process.send_signal(signal.SIGINT)
            end = self.end_of(process, 130)
            self.assertLess(time.monotonic() - start, 2 if "CI" not in os.environ else 60)
        self.assertTrue(end["executions"][0]["state_lost"])

    def test_ctrl_c_before_an_execution_keeps_it_from_running(self) -> None:
        code = "open('/output/ran', 'w').close()"
        for action, models in ((fence(code), MODEL), (call(code), TOOLS)):
            with self.subTest(action), FakeOllama([action], models) as fake:
                fake.on["/api/ps"] = Drop(Wait())
                process = self.begin(fake)
                self.assertTrue(wait_until(lambda: [r for r in fake.requests if r.path == "/api/ps"]))
                process.send_signal(signal.SIGINT)
                end = self.end_of(process, 130)
                self.assertEqual((end["outcome"], end["executions"]), ("cancelled", []))
                self.assertFalse((self.output / "ran").exists())

    def test_a_server_that_does_not_say_where_the_model_runs_is_not_waited_for(self) -> None:
        with FakeOllama([answer("x")], MODEL) as fake:
            fake.on["/api/ps"] = Drop(Wait())
            process = self.begin(fake)
            self.assertEqual(self.end_of(process, 0)["answer"], "x")

    def test_a_reader_that_is_gone(self) -> None:
        with FakeOllama([fence("1"), answer("x")], (Model("m:latest", ()),)) as fake:
            process = self.begin(fake)
            process.stdout.close()
            process.stderr.read()
            self.assertEqual(process.wait(60), 128 + signal.SIGPIPE)
            self.assertEqual(len(fake.chats), 2)  # the task goes on: there are also its files

    def test_the_task_comes_from_standard_input(self) -> None:
        run = self.agent([answer("x")], task="-", stdin="what is\nthis?".encode())
        self.assert_status(run.result)
        self.assertEqual(run.of("task")[0]["text"], "what is\nthis?")

    def test_no_task_at_all(self) -> None:
        run = self.agent([], task="", stdin=b" \n")
        self.assert_status(run.result, 125)
        self.assertRegex(run.result.err, message("main_check_task"))

    def test_a_workspace_where_programs_write_is_refused(self) -> None:
        inner = self.output / "inner"
        inner.mkdir()
        run = self.agent([], f"--workspace={inner}")
        self.assert_status(run.result, 125)
        self.assertIn("--workspace", run.result.err)

    def test_a_workspace_must_be_there_if_it_was_asked_for(self) -> None:
        run = self.agent([], f"--workspace={self.folder}/none")
        self.assert_status(run.result, 125)

    def test_settings_come_from_the_file(self) -> None:
        folder = self.folder / "config/glovebox"
        folder.mkdir(parents=True)
        (folder / "agent.json").write_text('{"iterations": 2, "num_ctx": 1024}')
        run = self.agent([fence("1 / 0"), fence("2 / 0"), answer("x")])
        self.assert_status(run.result, 3)
        self.assertEqual(run.chats[0]["options"]["num_ctx"], 1024)


class OwnSupervisor(AgentCase):
    """Without a supervisor of the user's the agent has one of its own, and leaves nothing."""

    as_user = True
    own = True

    def setUp(self) -> None:
        super().setUp()
        self.scratch = self.folder / "tmp"
        self.scratch.mkdir()

    def env(self) -> dict[str, str]:
        return super().env() | {"TMPDIR": str(self.scratch)}

    def places_left(self) -> list[Path]:
        """Return the runtime directories that are there."""
        return list(self.scratch.iterdir())

    def test_it_works_and_is_gone(self) -> None:
        run = self.agent([fence("print(6 * 7)"), answer("42")])
        self.assert_status(run.result)
        self.assertEqual(run.of("executed")[0]["stdout"], "42\n")
        self.assertEqual(self.places_left(), [])

    def test_it_imports_what_preload_names(self) -> None:
        look = fence("import sys", "print('colorsys' in sys.modules)")
        for flags, wanted in (([], "False\n"), (["--preload", "colorsys"], "True\n")):
            run = self.agent([look, answer("done")], *flags)
            self.assertEqual(run.of("executed")[0]["stdout"], wanted)

    def test_the_deadline_does_not_wait_for_a_nursery(self) -> None:
        if not has_image("python"):
            self.skipTest("cannot: there is no image `python`, whose nursery takes seconds")
        run = self.agent([fence("1")], "--image=python", "--deadline=200ms")
        self.assert_status(run.result, 3)
        self.assertEqual((run.end["outcome"], run.verdicts), ("deadline", ["timeout"]))

    def test_it_is_gone_when_the_agent_is_killed(self) -> None:
        code = fence(READY, "while True: pass")
        with FakeOllama([code], (Model("m:latest", ()),)) as fake:
            command = self.command(fake.url, "wait")
            process = self.start(command, env=self.env(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.assertTrue(wait_until((self.output / "ready").exists))
            (place,) = self.places_left()
            process.kill()
            self.assertTrue(wait_until(lambda: not place.exists()))

    def test_a_watchdog_that_is_stuck_is_left_behind(self) -> None:
        code = fence(READY, "import os", "while not os.path.exists('/output/go'): pass")
        with FakeOllama([code, answer("x")], (Model("m:latest", ()),)) as fake:
            command = self.command(fake.url, "wait")
            process = self.start(command, env=self.env(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.assertTrue(wait_until((self.output / "ready").exists))
            (watchdog,) = children(process.pid)
            (place,) = self.places_left()
            os.kill(watchdog, signal.SIGSTOP)
            try:
                (self.output / "go").touch()
                self.assertEqual(process.wait(DEADLINE), 0)
            finally:
                os.kill(watchdog, signal.SIGCONT)
            self.assertTrue(wait_until(lambda: not place.exists()), "it ends its supervisor all the same")

    def test_a_supervisor_of_another_image_is_left_alone(self) -> None:
        run = self.agent([answer("x")], "--image=no-such-image")
        self.assert_status(run.result, 125)
        self.assertEqual(self.places_left(), [])

    def test_the_network_library_is_the_agents_alone(self) -> None:
        folder = Path(GLOVEBOX).resolve().parent
        linked = subprocess.run(["ldd", folder / "glovebox"], capture_output=True, text=True).stdout
        self.assertNotIn("libcurl", linked)
        self.assertNotIn("libedit", linked)


class NoSandbox(AgentCase):
    """The supervisor that an agent starts cannot serve: a program that says why stands for it."""

    own = True

    def test_the_model_is_not_waited_for(self) -> None:
        agent = self.folder / "glovebox-agent"
        shutil.copy(Path(GLOVEBOX).with_name("glovebox-agent"), agent)
        supervisor = self.folder / "glovebox"
        supervisor.write_text("#!/bin/sh\necho 'glovebox: limits need a cgroup: the remedy' >&2\nexit 125\n")
        supervisor.chmod(0o755)
        with FakeOllama([Answer((Wait(),))], MODEL) as fake:
            command = self.command(fake.url, "--deadline=50s", "x")
            result = execute([str(agent), *command[2:]], env=self.env())
        self.assert_status(result, 125)
        self.assertEqual(
            result.err.splitlines(), ["glovebox: sandbox: limits need a cgroup: the remedy"]
        )


@unittest.skipUnless(shutil.which("openssl"), "cannot: there is no openssl")
class Certificates(AgentCase):
    """An https server is judged before anything is sent to it."""

    def ask(self, *flags: str, **env: str) -> Run:
        """Give a task, at a server whose certificate this machine does not know."""
        self.cert, key = certificate(self.folder)
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(self.cert, key)
        words = [flag.replace("CERT", str(self.cert)) for flag in flags]
        return self.agent((), *words, server=FakeOllama([answer("42")], tls=tls), env={k: str(self.cert) for k in env}, json=False)

    def test_the_file_that_is_named_decides(self) -> None:
        self.assert_prints("42", self.ask("--server-ca", "CERT").result)
        self.assert_prints("42", self.ask(SSL_CERT_FILE="").result)

    def test_a_certificate_that_is_not_trusted_names_the_remedy(self) -> None:
        for flags in ([], ["--server-ca", str(self.file("empty", b""))]):
            done = self.ask(*flags)
            self.assert_status(done.result, 4)
            self.assertRegex(done.result.err, message("transport#certificate"))
            self.assertEqual(done.chats, [])

    def test_a_file_that_is_not_there_is_named(self) -> None:
        done = self.ask("--server-ca", "/nonexistent").result
        self.assert_status(done, 125)
        self.assertRegex(done.err, message("server_open#--server-ca", "/nonexistent"))
