"""E2B's clients of Python and JavaScript, unmodified, against `glovebox serve --face e2b` (make check-clients): a sandbox's life, keys, frameworks."""

import shutil
import unittest
from pathlib import Path

from support.e2b_client import CLIENTS, ClientCase

MODULES = CLIENTS / "node/node_modules"


class Life(ClientCase):
    """A sandbox is made, found, told of, paused and ended."""

    def test_made_and_killed(self) -> None:
        self.says(
            """
            sandbox = make()
            say(sandbox.sandbox_id.isalnum(), sandbox.sandbox_id[0].isalpha(), sandbox.sandbox_id.islower())
            say(sandbox.is_running(), sandbox.kill(), sandbox.is_running(), sandbox.kill(), Sandbox.kill("i0123456789abcdefghij"))
            """,
            [True, True, True],
            [True, True, False, False, False],
        )

    def test_what_it_is(self) -> None:
        self.says(
            """
            given = {"who": "a b/c&d=é+%", "what": "1"}
            info = make(timeout=300, metadata=given).get_info()
            say(info.template_id, info.metadata == given, info.state, round((info.end_at - info.started_at).total_seconds()))
            say(info.cpu_count > 0, info.memory_mb > 0, make(template="base").get_info().template_id)
            """,
            ["code-interpreter-v1", True, "running", 300],
            [True, True, "base"],
        )

    def test_lists(self) -> None:
        self.says(
            """
            tag = {"test": "lists"}
            ids = [make(metadata={**tag, "who": who}).sandbox_id for who in ("a b/c&d=é+%", "b", "c")]
            def listed(limit=None, **query):
                pages, paginator = [], Sandbox.list(SandboxQuery(**query), limit=limit, order="asc")
                while paginator.has_next:
                    pages.append([ids.index(info.sandbox_id) for info in paginator.next_items()])
                return pages
            say(listed(metadata=tag), listed(metadata={**tag, "who": "a b/c&d=é+%"}), listed(metadata={**tag, "who": "a"}))
            say(listed(metadata=tag, state=[SandboxState.RUNNING]), listed(metadata=tag, state=[SandboxState.PAUSED]))
            say(listed(2, metadata=tag), [ids.index(info.sandbox_id) for info in Sandbox.list(SandboxQuery(metadata=tag)).next_items()])
            made[1].kill()
            say(listed(metadata=tag))
            """,
            [[[0, 1, 2]], [[0]], [[]]],
            [[[0, 1, 2]], [[]]],
            [[[0, 1], [2]], [2, 1, 0]],
            [[[0, 2]]],
        )

    def test_time(self) -> None:
        self.says(
            """
            sandbox = make(timeout=60)
            left = lambda: (sandbox.get_info().end_at - sandbox.get_info().started_at).total_seconds()
            first = left()
            sandbox.set_timeout(600)
            second = left()
            sandbox.connect(timeout=60)  # which never shortens it
            say(round(first), second >= 600, abs(left() - second) < 1)
            sandbox.connect(timeout=1200)
            say(left() >= 1200)
            sandbox.set_timeout(1)
            wait_until(lambda: not sandbox.is_running())
            say(why(sandbox.run_code, "1"), sandbox.kill())
            """,
            [60, True, True],
            [True],
            ["TimeoutException", False],
        )

    def test_connected_to(self) -> None:
        self.says(
            """
            sandbox = make(metadata={"a": "b"})
            sandbox.run_code("x = 41")
            again = Sandbox.connect(sandbox.sandbox_id, timeout=600)
            again.files.write("found", "here")
            say(again.run_code("x + 1").text, again.commands.run("cat found").stdout, again.get_info().metadata)
            say(sandbox.connect().run_code("x").text, sandbox.run_code("x").text)
            """,
            ["42", "here", {"a": "b"}],
            ["41", "41"],
        )

    def test_paused(self) -> None:
        self.says(
            """
            sandbox = make()
            sandbox.run_code("x = 41")
            command = sandbox.commands.run("until [ -e go ]; do sleep 0.05; done; echo went", background=True)
            command.disconnect()
            say(sandbox.pause(), sandbox.pause(), sandbox.get_info().state, sandbox.is_running(), why(sandbox.run_code, "1"))
            again = Sandbox.connect(sandbox.sandbox_id)
            say(again.get_info().state, again.run_code("x + 1").text)
            command = again.commands.connect(command.pid)
            again.files.write("go", "")
            say(command.wait().stdout)
            sandbox.pause()
            say(sandbox.kill(), why(sandbox.connect))
            """,
            [True, False, "paused", False, "TimeoutException"],
            ["running", "42"],
            ["went\n"],
            [True, "SandboxNotFoundException"],
        )

    def test_metrics(self) -> None:
        self.says(
            """
            say([metric.cpu_count > 0 and metric.mem_total >= metric.mem_used > 0 for metric in make().get_metrics()])
            """,
            [[True]],
        )


class Gone(ClientCase):
    """A sandbox that is gone, in whose place an error stands that the client knows."""

    def test_each_call(self) -> None:
        self.says(
            """
            sandbox = make()
            Sandbox.kill(sandbox.sandbox_id)
            say(sandbox.is_running(), why(sandbox.run_code, "1"), why(sandbox.list_code_contexts), why(sandbox.create_code_context))
            say(why(sandbox.commands.run, "true"), why(sandbox.commands.list), why(sandbox.files.read, "a"), why(sandbox.files.write, "a", ""), why(sandbox.files.exists, "a"))
            say(why(sandbox.get_info), why(sandbox.set_timeout, 5), why(sandbox.connect), why(sandbox.pause), sandbox.kill())
            """,
            [False, *["TimeoutException"] * 3],
            ["SandboxNotRunningException"] * 5,
            [*["SandboxNotFoundException"] * 4, False],
        )

    def test_in_the_middle(self) -> None:
        self.says(
            """
            import threading
            for call in ("commands.run('echo began; sleep 1000', on_stdout={})", "run_code('import time; print(1, flush=True); time.sleep(1000)', on_stdout={})"):
                sandbox, began = make(), threading.Event()
                ended = threading.Thread(target=lambda: began.wait() and Sandbox.kill(sandbox.sandbox_id))
                ended.start()
                say(why(lambda: eval("sandbox." + call.format("lambda text: began.set()"))))
                ended.join()
            """,
            ["SandboxNotRunningException"],
            ["TimeoutException"],
        )


class Keys(ClientCase):
    """Keys and what each of them reaches."""

    def test_none_that_is_known(self) -> None:
        self.says(
            """
            say(why(Sandbox.create, api_key="e2b_" + 40 * "0"), why(Sandbox.list(api_key="x").next_items), why(Sandbox.kill, "i1", api_key="x"))
            """,
            ["AuthenticationException"] * 3,
        )

    def test_sandboxes_of_another(self) -> None:
        self.says(
            f"""
            theirs, sandbox = {self.other_key!r}, make(metadata={{"test": "another"}})
            say([info.sandbox_id for info in Sandbox.list(SandboxQuery(metadata={{"test": "another"}}), api_key=theirs).next_items()])
            say(*[why(call, sandbox.sandbox_id, api_key=theirs) for call in (Sandbox.connect, Sandbox.get_info, Sandbox.pause)])
            say(Sandbox.kill(sandbox.sandbox_id, api_key=theirs), sandbox.is_running(), sandbox.run_code("1").text)
            """,
            [[]],
            ["SandboxNotFoundException"] * 3,
            [False, True, "1"],
        )


class Asynchronous(ClientCase):
    """The client for asyncio."""

    def test_once_each(self) -> None:
        self.says(
            """
            import asyncio
            from e2b_code_interpreter import AsyncSandbox

            async def main():
                sandbox = await AsyncSandbox.create()
                try:
                    said = await asyncio.gather(sandbox.run_code("print(1); 2"), sandbox.commands.run("echo 3"), sandbox.files.write("a", "4"))
                    say(said[0].logs.stdout, said[0].text, said[1].stdout, said[2].path, await sandbox.files.read("a"))
                    command = await sandbox.commands.run("cat", background=True, stdin=True)
                    await command.send_stdin("given")
                    await command.close_stdin()
                    say((await command.wait()).stdout, await sandbox.is_running())
                finally:
                    say(await sandbox.kill(), await sandbox.is_running())

            asyncio.run(main())
            """,
            [["1\n"], "2", "3\n", "/home/user/a", "4"],
            ["given", True],
            [True, False],
        )


class Smolagents(ClientCase):
    """smolagents' executor."""

    def test_executor(self) -> None:
        self.says(
            """
            from smolagents import FinalAnswerTool
            from smolagents.monitoring import AgentLogger, LogLevel
            from smolagents.remote_executors import E2BExecutor

            executor = E2BExecutor([], AgentLogger(level=LogLevel.OFF))
            made.append(executor.sandbox)
            for name in ("PIL", "numpy"):  # which the agent installs and imports, and this image may lack
                executor.sandbox.files.write(f"{name}.py", "")
            executor.send_tools({"final_answer": FinalAnswerTool()})
            executor.send_variables({"given": [1, "é"]})
            said = executor("print(given)\\ngiven + [2]")
            say(said.output, said.logs, said.is_final_answer)
            say(why(executor, "1 / 0"))
            said = executor("final_answer({'answer': 100_000 * 'é'})")
            say(said.is_final_answer, said.output == {"answer": 100_000 * "é"})
            executor.cleanup()
            """,
            [[1, "é", 2], "[1, 'é']\n", False],
            ["AgentError"],
            [True, True],
        )


class Deepagents(ClientCase):
    """deepagents' backend on E2B's client."""

    environment = "newer/e2b_deepagents"

    def test_backend(self) -> None:
        self.says(
            """
            from langchain_e2b import E2BSandbox

            backend = E2BSandbox(sandbox=make())
            said = backend.execute("pwd; echo no >&2; exit 3")
            say(said.output, said.exit_code, backend.execute("sleep 1000", timeout=1).exit_code)
            say(backend.write("/home/user/d/a.txt", "one\\ntwo\\n").error, bool(backend.write("/home/user/d/a.txt", "").error))
            say(backend.edit("/home/user/d/a.txt", "two", "three").occurrences, backend.read("/home/user/d/a.txt").file_data["content"])
            say([entry["path"] for entry in backend.ls("/home/user/d").entries], [match["line"] for match in backend.grep("three", "/home/user").matches])
            say([entry["path"] for entry in backend.glob("*.txt", "/home/user/d").matches])
            say([answer.error for answer in backend.upload_files([("/tmp/b", b"\\0"), ("/tmp", b"")])])
            say(*[[answer.content and list(answer.content), answer.error] for answer in backend.download_files(["/tmp/b", "/tmp/none", "/tmp"])])
            """,
            ["/home/user\n\nno\n", 3, 124],
            [None, True],
            [1, "one\nthree"],
            [["/home/user/d/a.txt"], [2]],
            [["a.txt"]],
            [[None, "is_directory"]],
            [[[0], None], [None, "file_not_found"], [None, "is_directory"]],
        )


class JavaScript(ClientCase):
    """The client for Node."""

    def test_once_each(self) -> None:
        node = shutil.which("node")
        if not node or not (MODULES / "@e2b/code-interpreter").exists():
            raise unittest.SkipTest("cannot: the client is missing (make check-clients, with node)")
        (seen,) = self.perform(node, Path(__file__).with_name("e2b_client.mjs"), MODULES / "@e2b/code-interpreter", self.other_key)
        expected = {
            "info": ["code-interpreter-v1", {"who": "a b/c&d=é+%"}, "running"],
            "listed": [True, 0],
            "code": ["42", ["out\u2028\n"], ["err\n"], "é\\u2028\U0001f600"],
            "long": 120_000,
            "error": ["ValueError", "é", True],
            "streamed": ["a\n", "b\n"],
            "contexts": ["/tmp", "NotFoundError"],
            "timeout": "TimeoutError",
            "command": [0, "out\n/tmp\nas given\n", "err\n"],
            "failed": ["CommandExitError", 3, "no\n"],
            "stdin": "given",
            "killed": [True, False, "CommandExitError"],
            "files": ["é", [0, 255], "/home/user/c/d e.txt", "streamed"],
            "listing": ["/home/user/bytes", "/home/user/c", "/home/user/c/d e.txt", "/home/user/streamed", "/home/user/ä b.txt"],
            "stat": ["file", 2],
            "absent": [False, "FileNotFoundError"],
            "directory": [True, False],
            "renamed": ["/home/user/renamed", False],
            "watched": ["f/g", "create"],
            "paused": [True, False, "41"],
            "foreign": ["SandboxNotFoundError", False],
            "gone": [True, False, False, "TimeoutError", "SandboxNotFoundError", "TimeoutError"],
            "wrong_key": "AuthenticationError",
        }
        self.assertEqual(seen, expected)
