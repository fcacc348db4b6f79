"""--face e2b: code and programs in a sandbox."""

import base64
import contextlib
from concurrent.futures import ThreadPoolExecutor

from support.e2b import END, FLAGS, FORM, HOME, PROCESS, STREAM, E2bCase, envelope, multipart
from support.messages import sentence
from support.times import wait_until


class Code(E2bCase):
    """/execute and /contexts."""

    def setUp(self) -> None:
        super().setUp()
        self.box = self.create(envVars={"OF_ALL": "here", "LANG": "C.UTF-8"})

    def test_lines(self) -> None:
        lines = self.box.lines("import sys\nprint('é\\0')\nprint('no', file=sys.stderr)\n[1, 'a']")
        kinds = [line["type"] for line in lines]
        self.assertEqual(sorted(kinds[:2]), ["stderr", "stdout"])
        self.assertEqual(kinds[2:], ["number_of_executions", "result", "end_of_execution"])
        self.assertEqual({line["text"] for line in lines[:2]}, {"é\0\n", "no\n"})
        self.assertEqual((lines[3]["text"], lines[3]["is_main_result"], lines[3]["extra"]), ("[1, 'a']", True, {}))

    def test_state_is_kept_and_texts_lose_their_quotes(self) -> None:
        self.box.lines("x = 'a text'")
        self.assertEqual([line["text"] for line in self.box.lines("x") if line["type"] == "result"], ["a text"])

    def test_all_of_it_is_ascii(self) -> None:
        reply = self.box.reach("POST", "/execute", {"code": "print('é' * 1000); 'ü'"})
        self.assertTrue(reply.body.isascii())
        self.assertNotIn(b"\n\n", reply.body)

    def test_what_is_raised(self) -> None:
        error = next(line for line in self.box.lines("def f():\n    raise ValueError('é' * 5000)\nf()") if line["type"] == "error")
        self.assertEqual((error["name"], error["value"]), ("ValueError", "é" * 5000))
        self.assertIn("line 2", error["traceback"])
        error = next(line for line in self.box.lines("import sys; sys.exit(4)") if line["type"] == "error")
        self.assertEqual((error["name"], error["value"]), ("SystemExit", "4"))

    def test_displays_come_before_the_value(self) -> None:
        code = "class H:\n    def _repr_html_(self): return '<b>é</b>'\ndisplay(H())\nH()"
        results = [line for line in self.box.lines(code) if line["type"] == "result"]
        self.assertEqual([(line["html"], line["is_main_result"]) for line in results], [("<b>é</b>", False), ("<b>é</b>", True)])

    def test_variables(self) -> None:
        shown = "import os; print(os.environ.get('A'), os.environ['OF_ALL'], os.environ['HOME'], os.getcwd())"
        self.assertEqual(self.box.text(shown, env_vars={"A": "'\"é"}), f"'\"é here {HOME} {HOME}\n")
        self.assertEqual(self.box.text(shown), f"None here {HOME} {HOME}\n")

    def test_other_languages(self) -> None:
        self.assertEqual(self.box.text("pwd; echo $OF_ALL $A", language="bash", env_vars={"A": "b c"}), f"{HOME}\nhere b c\n")
        self.assert_error(self.box.reach("POST", "/execute", {"code": "1", "language": "r"}), 400, "bash")
        self.assert_error(self.box.reach("POST", "/execute", {"code": "1", "language": "python", "context_id": "python"}), 400)

    def test_contexts(self) -> None:
        made = self.box.reach("POST", "/contexts", {"language": "python", "cwd": "/tmp"}).json
        self.assertEqual((made["language"], made["cwd"]), ("python", "/tmp"))
        self.box.lines("x = 1")
        self.assertEqual(self.box.text("import os; print('x' in globals(), os.getcwd())", context_id=made["id"]), "False /tmp\n")
        self.assertEqual(self.box.text("import os; print(x, os.getcwd())"), f"1 {HOME}\n")
        self.assertEqual(self.box.text("print(os.getpid())", context_id=made["id"]), self.box.text("print(os.getpid())"))
        self.assertEqual([c["id"] for c in self.box.reach("GET", "/contexts").json], ["python", made["id"]])
        self.box.lines("y = 2", context_id=made["id"])
        restarted = self.box.reach("POST", f"/contexts/{made['id']}/restart", {})
        self.assertEqual((restarted.status, restarted.json), (200, None))
        self.assertEqual(self.box.text("print('y' in globals())", context_id=made["id"]), "False\n")
        self.assertEqual(self.box.reach("DELETE", f"/contexts/{made['id']}").status, 200)
        self.assert_error(self.box.reach("POST", "/execute", {"code": "1", "context_id": made["id"]}), 404, made["id"])
        self.assert_error(self.box.reach("POST", "/contexts", {"language": "java"}), 500)

    def test_a_client_that_leaves_frees_its_context(self) -> None:
        with self.box.executing(code="print('began', flush=True)\nwhile True: pass") as response:
            response.readline()
        self.assertEqual(self.box.text("print(1)"), "1\n")

    def test_a_call_that_waits_keeps_nothing_of_its_context(self) -> None:
        server = self.start_server(*FLAGS, "--max-runs", "1", "--queue", "60s").wait_ready()
        box, other = self.create(server), self.create(server)
        context = box.reach("POST", "/contexts", {"cwd": "/tmp"}).json["id"]
        waits = f"import os, time\nprint('began', flush=True)\nwhile not os.path.exists('{HOME}/go'): time.sleep(0.01)"
        with contextlib.ExitStack() as stack:
            first = stack.enter_context(other.executing(code=waits))
            self.assertIn(b"began", first.readline())
            with ThreadPoolExecutor(2) as pool:
                named = pool.submit(box.reach, "POST", "/execute", {"code": "1", "context_id": context})
                shell = pool.submit(box.text, "pwd", language="bash")
                self.assertTrue(wait_until(lambda: b"\nglovebox_runs_waiting 2\n" in server.get("/metrics").body))
                self.assertEqual(box.reach("DELETE", f"/contexts/{context}").status, 200)
                other.run("touch go")
                self.assert_error(named.result(), 404, context)
                self.assertEqual(shell.result(), f"{HOME}\n")

    def test_output_that_is_cut_is_told(self) -> None:
        lines = self.box.lines("print('x' * 3_000_000)")
        self.assertIn(sentence("code_put_cuts", 1000000), [line["text"] for line in lines if line["type"] == "stderr"])

    def test_a_list_or_a_dict_is_there_as_json(self) -> None:
        for code, value in (("[1, {'a': None}]", [1, {"a": None}]), ("{'é': 2.5}", {"é": 2.5}), ("{1, 2}", None), ("[object()]", None), ("x = []; x.append(x); x", None)):
            result = next(line for line in self.box.lines(code) if line["type"] == "result")
            self.assertEqual(result.get("json"), value, code)

    def test_json_of_a_program_is_one_line(self) -> None:
        code = """class Forged:
    def _repr_mimebundle_(self, **_):
        return {"text/plain": "x", "application/json": '[\\n{"type":"end_of_execution"}\\n]'}
Forged()"""
        lines = self.box.lines(code)
        self.assertEqual([line["type"] for line in lines], ["number_of_executions", "result", "end_of_execution"])
        self.assertEqual(lines[1]["json"], [{"type": "end_of_execution"}])

    def test_a_shell_has_its_code_as_a_word(self) -> None:
        self.assert_error(self.box.reach("POST", "/execute", {"code": "#" * 200_000, "language": "bash"}), 400, "bash")

    def test_an_interpreter_that_ends_takes_its_sandbox_along(self) -> None:
        lines = self.box.lines("import os; os._exit(1)")
        self.assertEqual([line["type"] for line in lines if line["type"] != "number_of_executions"], ["error", "end_of_execution"])
        self.assert_gone(self.box.reach("GET", "/health"))


class Programs(E2bCase):
    """process.Process."""

    def setUp(self) -> None:
        super().setUp()
        self.box = self.create(envVars={"OF_ALL": "here"})

    def test_a_command(self) -> None:
        out, errors, end = self.box.run("echo $OF_ALL $A; pwd; echo no >&2; exit 3", envs={"A": "b"})
        self.assertEqual((out, errors), (f"here b\n{HOME}\n", "no\n"))
        self.assertEqual((end["exitCode"], end["exited"], end["status"]), (3, True, "exit status 3"))
        self.assertEqual(self.box.run("pwd", cwd="/tmp")[0], "/tmp\n")

    def test_it_runs_while_python_is_busy(self) -> None:
        code = f"import os, time\nprint('began', flush=True)\nwhile not os.path.exists('{HOME}/go'): time.sleep(0.01)"
        with self.box.executing(code=code) as response:
            self.assertIn(b"began", response.readline())
            self.assertEqual(self.box.reach("POST", f"/files?path={HOME}/seen", multipart(("seen", b"1")), **FORM).status, 200)
            self.assertEqual(self.box.run("cat seen; touch go")[0], "1")
            self.assertIn(b"end_of_execution", response.read())

    def test_input(self) -> None:
        with self.box.start("cat; echo done", stdin=True) as stream:
            stream.begun()
            process = {"pid": stream.pid}
            for text in (b"one\n", b"two\n"):
                sent = self.box.call(PROCESS + "SendInput", process=process, input={"stdin": base64.b64encode(text).decode()})
                self.assertEqual((sent.status, sent.json), (200, {}))
            self.assertEqual(self.box.call(PROCESS + "CloseStdin", process=process).status, 200)
            self.assertEqual(stream.finish()[0], "one\ntwo\ndone\n")

    def test_input_as_a_stream(self) -> None:
        with self.box.start("head -c 200000 | wc -c", stdin=True) as stream:
            stream.begun()
            piece = base64.b64encode(bytes(50000)).decode()
            messages = [{"start": {"process": {"pid": stream.pid}}}, *[{"data": {"input": {"stdin": piece}}}] * 4]
            sent = self.box.reach("POST", PROCESS + "StreamInput", b"".join(map(envelope, messages)), **STREAM)
            self.assertEqual(sent.body, envelope({}) + envelope({}, END))
            self.assertEqual(stream.finish()[0], "200000\n")

    def test_without_input(self) -> None:
        self.assertEqual(self.box.run("cat; echo done")[0], "done\n")

    def test_a_list_a_signal_and_a_second_listener(self) -> None:
        with self.box.start("echo ready; exec sleep 1000") as first:
            first.begun().until(b"ready\n")
            listed = self.box.call(PROCESS + "List").json["processes"]
            self.assertEqual([(p["pid"], p["config"]["cmd"], p["config"]["cwd"]) for p in listed], [(first.pid, "/bin/bash", HOME)])
            with self.box.stream(PROCESS + "Connect", {"process": {"pid": first.pid}}) as second:
                self.assertEqual(second.begun().pid, first.pid)
                sent = self.box.call(PROCESS + "SendSignal", process={"pid": first.pid}, signal="SIGNAL_SIGKILL")
                self.assertEqual(sent.status, 200)
                for stream in (first, second):
                    end = stream.finish()[2]
                    self.assertEqual((end["exitCode"], end["exited"], end["status"]), (-1, False, "signal: killed"))
        self.assertEqual(self.box.call(PROCESS + "List").json, {"processes": []})

    def test_it_goes_on_when_its_client_leaves(self) -> None:
        with self.box.start("echo ready; while test ! -e go; do sleep 0.01; done; echo over") as stream:
            pid = stream.begun().pid
            stream.until(b"ready\n")
        with self.box.stream(PROCESS + "Connect", {"process": {"pid": pid}}) as again:
            again.begun()
            self.box.run("touch go")
            self.assertEqual(again.finish()[0], "over\n")

    def test_what_children_hold_open_is_not_waited_for(self) -> None:
        self.assertEqual(self.box.run("sleep 1000 & echo out")[0], "out\n")

    def test_all_of_a_full_pipe_is_read_and_its_holder_not_waited_for(self) -> None:
        fills = "import fcntl, os; fcntl.fcntl(1, 1031, 1 << 20); os.write(1, b'x' * (1 << 20))"
        self.assertEqual(len(self.box.run(f'sleep 1000 & python3 -S -c "{fills}"')[0]), 1 << 20)

    def test_words_are_bounded(self) -> None:
        message = {"process": {"cmd": "/bin/true", "args": ["x" * 1000] * 300}}
        with self.box.stream(PROCESS + "Start", message) as stream:
            self.assertEqual(stream.message()[1]["error"]["code"], "invalid_argument")

    def test_a_limit_of_time(self) -> None:
        with self.box.start("echo ready; exec sleep 1000", headers={"Connect-Timeout-Ms": "300"}) as stream:
            self.assertEqual(stream.close()["error"]["code"], "deadline_exceeded")
        self.assertEqual(self.box.call(PROCESS + "List").json, {"processes": []})

    def test_a_terminal(self) -> None:
        process = {"cmd": "/bin/sh", "args": ["-c", "stty size; read line; echo got $line"]}
        with self.box.stream(PROCESS + "Start", {"process": process, "pty": {"size": {"rows": 30, "cols": 99}}}) as stream:
            stream.begun().until(b"30 99", "pty")
            self.assertEqual(self.box.call(PROCESS + "Update", process={"pid": stream.pid}, pty={"size": {"rows": 5, "cols": 6}}).status, 200)
            typed = base64.b64encode(b"hello\n").decode()
            self.box.call(PROCESS + "SendInput", process={"pid": stream.pid}, input={"pty": typed})
            stream.finish()
            self.assertIn(b"got hello", stream.out["pty"])

    def test_bytes_that_are_no_text(self) -> None:
        with self.box.start("printf 'a\\342'; printf '\\377\\303' >&2") as stream:
            stream.close()
            self.assertEqual((stream.out["stdout"], stream.out["stderr"]), (b"a\xe2", b"\xff\xc3"))

    def test_more_processes_than_a_sandbox_may_have(self) -> None:
        with contextlib.ExitStack() as stack:
            for _ in range(100):
                stream = stack.enter_context(self.box.start("exec sleep 1000"))
                flags, message = stream.message()
                if flags:
                    break
            self.assertEqual(message["error"]["code"], "resource_exhausted")
        self.assertEqual(self.box.reach("GET", "/health").status, 204)

    def test_a_program_whose_sandbox_is_killed_is_in_the_audit(self) -> None:
        audit = self.folder / "audit"
        server = self.start_server(*FLAGS, "--audit", str(audit)).wait_ready()
        box = self.create(server)
        with box.start("echo ready; yes") as stream:
            stream.begun().until(b"ready\n")
            self.assertEqual(box.control("DELETE").status, 204)
            self.assertTrue(wait_until(lambda: '"operation":"session_bash"' in audit.read_text("utf-8")))

    def test_characters_come_whole(self) -> None:
        out, _, _ = self.box.run("printf '\\303'; sleep 0.2; printf '\\251\\n'")
        self.assertEqual(out, "é\n")

    def test_much_output_and_a_reader_that_waits(self) -> None:
        with self.box.start("head -c 20000000 /dev/zero; echo end >&2") as stream:
            stream.begun()
            self.assertEqual(self.box.run("echo others go on")[0], "others go on\n")
            stream.close()
            self.assertEqual((len(stream.out["stdout"]), stream.out["stderr"]), (20_000_000, b"end\n"))

    def test_what_is_wrong(self) -> None:
        for message, code in (
            ({"process": {"cmd": "/nothing"}}, "not_found"),
            ({"process": {"cmd": "/bin/true", "cwd": "/nowhere"}}, "invalid_argument"),
            ({"process": {}}, "invalid_argument"),
            ({"process": {"cmd": "/bin/true", "envs": {"A=": "b"}}}, "invalid_argument"),
        ):
            with self.subTest(message), self.box.stream(PROCESS + "Start", message) as stream:
                self.assertEqual((stream.response.status, stream.message()[1]["error"]["code"]), (200, code))
        with self.box.stream(PROCESS + "Connect", {"process": {"pid": 4242}}) as stream:
            self.assertEqual(stream.message()[1]["error"]["code"], "not_found")
        for method in ("SendInput", "SendSignal", "CloseStdin", "Update"):
            reply = self.box.call(PROCESS + method, process={"pid": 4242})
            self.assertEqual((reply.status, reply.json["code"]), (404, "not_found"))
        for body in (b"", b"\1\0\0\0\2{}", b"\0\xff\xff\xff\xff", b"\0\0\0\0\2[]"):
            reply = self.box.reach("POST", PROCESS + "Start", body, **STREAM)
            self.assertIn(b"invalid_argument", reply.body)

    def test_a_sandbox_that_is_killed_ends_its_streams(self) -> None:
        with self.box.start("echo ready; exec sleep 1000") as stream:
            stream.begun().until(b"ready\n")
            self.assertEqual(self.box.control("DELETE").status, 204)
            self.assertEqual(stream.close()["error"]["code"], "unavailable")
        self.assert_gone(self.box.reach("POST", PROCESS + "Start", envelope({"process": {"cmd": "/bin/true"}}), **STREAM))
        self.assert_gone(self.box.call(PROCESS + "List"))
        for method in ("GET", "POST"):
            self.assert_gone(self.box.reach(method, "/contexts", {} if method == "POST" else None))
