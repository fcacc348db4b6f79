"""E2B's client of Python, unmodified, against `glovebox serve --face e2b` (make check-clients): commands, terminals and files."""

from support.e2b_client import ClientCase


class Commands(ClientCase):
    """sandbox.commands."""

    def test_run(self) -> None:
        self.says(
            """
            sandbox = make(envs={"ALL": "of it"})
            said = sandbox.commands.run("pwd; echo $HOME; echo é >&2")
            say(said.exit_code, said.stdout, said.stderr, said.error)
            said = sandbox.commands.run("pwd; echo $ALL; echo \\"$GIVEN\\"", cwd="/tmp", envs={"GIVEN": "it's \\"é\\""})
            say(said.stdout)
            say(len(sandbox.commands.run("head -c 3000000 /dev/zero | tr '\\\\0' x").stdout), sandbox.commands.run("cat").stdout)
            """,
            [0, "/home/user\n/home/user\n", "é\n", None],
            ['/tmp\nof it\nit\'s "é"\n'],
            [3_000_000, ""],
        )

    def test_failures(self) -> None:
        self.says(
            """
            sandbox = make()
            try:
                sandbox.commands.run("echo out; echo err >&2; exit 3")
            except CommandExitException as error:
                say(error.exit_code, error.stdout, error.stderr)
            say(why(sandbox.commands.run, "no-such-command"), why(sandbox.commands.run, "true", cwd="/none"), why(sandbox.commands.run, "kill -9 $$"))
            """,
            [3, "out\n", "err\n"],
            ["CommandExitException", "InvalidArgumentException", "CommandExitException"],
        )

    def test_bytes_that_are_no_text(self) -> None:
        self.says(
            """
            sandbox = make()
            say(sandbox.commands.run("printf 'a\\\\377b'").stdout, sandbox.commands.run("printf 'a\\\\342'").stdout)
            """,
            ["a\ufffdb", "a\ufffd"],
        )

    def test_more_than_a_sandbox_may_have(self) -> None:
        self.says(
            """
            sandbox, refused = make(), None
            for _ in range(300):
                refused = why(sandbox.commands.run, "sleep 1000", background=True)
                if isinstance(refused, str):
                    break
            say(refused, sandbox.is_running())
            """,
            ["RateLimitException", True],
        )

    def test_in_the_background(self) -> None:
        self.says(
            """
            sandbox = make()
            command = sandbox.commands.run("sleep 1000", background=True, envs={"A": "b"}, cwd="/tmp")
            (found,) = sandbox.commands.list()
            say(found.pid == command.pid, found.cmd, found.args, found.envs, found.cwd)
            say(command.kill(), why(command.wait))
            wait_until(lambda: not sandbox.commands.list())
            say(sandbox.commands.kill(command.pid), why(sandbox.commands.connect, command.pid), why(sandbox.commands.send_stdin, command.pid, "x"))
            """,
            [True, "/bin/bash", ["-l", "-c", "sleep 1000"], {"A": "b"}, "/tmp"],
            [True, "CommandExitException"],
            [False, "NotFoundException", "NotFoundException"],
        )

    def test_killed(self) -> None:
        self.says(
            """
            command = make().commands.run("echo began; sleep 1000", background=True)
            seen = []
            try:
                command.wait(on_stdout=lambda text: seen.append(text) or command.kill())
            except CommandExitException as error:
                say(error.exit_code, error.stdout, seen, error.error)
            """,
            [-1, "began\n", ["began\n"], "signal: killed"],
        )

    def test_input(self) -> None:
        self.says(
            """
            sandbox = make()
            command = sandbox.commands.run("cat; echo end", background=True, stdin=True)
            command.send_stdin("one é\\n")
            sandbox.commands.send_stdin(command.pid, b"two\\n")
            sandbox.commands.stream_input(command.pid, iter(["three\\n", b"four\\n"]))
            command.close_stdin()
            say(command.wait().stdout)
            """,
            ["one é\ntwo\nthree\nfour\nend\n"],
        )

    def test_streams(self) -> None:
        self.says(
            """
            sandbox, seen = make(), []
            def on_stdout(text):
                seen.append(text)
                sandbox.files.write("go", "")
            said = sandbox.commands.run("echo began; until [ -e go ]; do sleep 0.05; done; echo err >&2", on_stdout=on_stdout, on_stderr=seen.append)
            say(seen, said.stdout, said.stderr)
            """,
            [["began\n", "err\n"], "began\n", "err\n"],
        )

    def test_connected_to(self) -> None:
        self.says(
            """
            sandbox = make()
            command = sandbox.commands.run("read line; echo $line; exit 3", background=True, stdin=True)
            command.disconnect()
            again = Sandbox.connect(sandbox.sandbox_id).commands.connect(command.pid)
            again.send_stdin("given\\n")
            try:
                again.wait()
            except CommandExitException as error:
                say(error.exit_code, error.stdout)
            """,
            [3, "given\n"],
        )

    def test_time(self) -> None:
        self.says(
            """
            sandbox = make()
            say(why(sandbox.commands.run, "sleep 1000", timeout=1))
            wait_until(lambda: not sandbox.commands.list())
            say(sandbox.commands.run("echo after", timeout=0).stdout)
            """,
            ["TimeoutException"],
            ["after\n"],
        )

    def test_terminals(self) -> None:
        self.says(
            """
            from e2b import PtySize
            sandbox, seen = make(), bytearray()
            terminal = sandbox.pty.create(PtySize(rows=24, cols=80), cwd="/tmp", envs={"PS1": "", "GIVEN": "x"})
            sandbox.pty.resize(terminal.pid, PtySize(rows=30, cols=100))
            sandbox.pty.send_stdin(terminal.pid, b"stty -echo; echo at $(stty size) $PWD $GIVEN $TERM; exit 3\\n")
            try:
                terminal.wait(on_pty=seen.extend)
            except CommandExitException as error:
                say(error.exit_code, b"at 30 100 /tmp x xterm-256color\\r\\n" in seen)
            """,
            [3, True],
        )


class Files(ClientCase):
    """sandbox.files."""

    def test_written_and_read(self) -> None:
        self.says(
            """
            sandbox = make()
            for name, content in (("a", "é\\n"), ("sub/ä b+c%20&\\"'.txt", "x"), ("/tmp/absolute", ""), ("~/at home", "y")):
                said = sandbox.files.write(name, content)
                say(said.path, said.name, said.type.value, sandbox.files.read(said.path) == content, sandbox.files.read(name) == content)
            content = bytes(range(256)) * 20_000
            sandbox.files.write("bytes", content)
            say(bytes(sandbox.files.read("bytes", format="bytes")) == content, b"".join(sandbox.files.read("bytes", format="stream")) == content)
            sandbox.files.write("bytes", b"less")
            say(sandbox.files.read("bytes", gzip=True), sandbox.commands.run("cat bytes").stdout, sandbox.run_code("open('bytes').read()").text)
            """,
            ["/home/user/a", "a", "file", True, True],
            ["/home/user/sub/ä b+c%20&\"'.txt", "ä b+c%20&\"'.txt", "file", True, True],
            ["/tmp/absolute", "absolute", "file", True, True],
            ["/home/user/at home", "at home", "file", True, True],
            [True, True],
            ["less", "less", "less"],
        )

    def test_written_in_other_ways(self) -> None:
        self.says(
            """
            import io
            sandbox = make()
            said = sandbox.files.write_files([{"path": "a", "data": "1"}, {"path": "/home/user/sub/ä b", "data": b"2"}, {"path": "c", "data": 100_000 * "3"}])
            say([info.path for info in said], sandbox.files.read("a"), sandbox.files.read("sub/ä b"), len(sandbox.files.read("c")))
            for name, data, options in (("io", io.BytesIO(b"x"), {}), ("chunks", iter([b"x", b"", b"y"]), {}), ("octets", "x", {"use_octet_stream": True})):
                sandbox.files.write(name, data, **options)
            say(*[sandbox.files.read(name)[:3] for name in ("io", "chunks", "octets")], why(sandbox.files.write, "gzip", "x", gzip=True))
            """,
            [["/home/user/a", "/home/user/sub/ä b", "/home/user/c"], "1", "2", 100_000],
            ["x", "xy", "x", "SandboxException"],
        )

    def test_listed(self) -> None:
        self.says(
            """
            sandbox = make()
            sandbox.files.write_files([{"path": "d/one", "data": "1"}, {"path": "d/sub/two", "data": "22"}])
            sandbox.commands.run("ln -s one d/link; chmod 640 d/one")
            see = lambda *given, **named: [[entry.path, entry.type.value != "dir", entry.name] for entry in sandbox.files.list(*given, **named)]
            say(*see("d"))
            say(*[path for path, *_ in see("/home/user/d", depth=2)])
            found = sandbox.files.get_info("d/one")
            say(found.name, found.path, found.type.value, found.size, oct(found.mode), found.permissions[-9:], abs(found.modified_time.timestamp() - time.time()) < 1000)
            say(sandbox.files.get_info("d/link").symlink_target in ("one", "/home/user/d/one"), sandbox.files.get_info("d/one").symlink_target)
            """,
            [
                ["/home/user/d/link", True, "link"],
                ["/home/user/d/one", True, "one"],
                ["/home/user/d/sub", False, "sub"],
            ],
            [f"/home/user/d/{name}" for name in ("link", "one", "sub", "sub/two")],
            ["one", "/home/user/d/one", "file", 1, "0o640", "rw-r-----", True],
            [True, None],
        )

    def test_moved_and_removed(self) -> None:
        self.says(
            """
            sandbox = make()
            files = sandbox.files
            say(files.make_dir("a/b"), files.make_dir("a/b"), files.get_info("a/b").type.value, files.exists("a"), files.exists("none"))
            files.write("a/b/c", "x")
            say(files.rename("a/b", "/home/user/é b").path, files.exists("a/b"), files.read("é b/c"))
            files.remove("é b")
            files.write("c", "x")
            files.remove("c")
            say(files.exists("é b"), files.exists("c"), [entry.name for entry in files.list(".") if not entry.name.startswith(".")])
            """,
            [True, False, "dir", True, False],
            ["/home/user/é b", False, "x"],
            [False, False, ["a"]],
        )

    def test_errors(self) -> None:
        self.says(
            """
            files = make().files
            files.write("a", "x")
            say(*[why(call, "none") for call in (files.read, files.list, files.get_info)], why(files.rename, "none", "other"), why(files.read, "none", format="stream"))
            say(why(files.list, "a"), why(files.read, "/tmp"), why(files.write, "/tmp", "x"), why(files.remove, "none")[0])
            """,
            ["FileNotFoundException"] * 5,
            [*["InvalidArgumentException"] * 2, "SandboxException", "no error"],
        )

    def test_watched(self) -> None:
        self.says(
            """
            import asyncio
            from e2b_code_interpreter import AsyncSandbox

            sandbox = make()
            sandbox.files.make_dir("d/deep")
            watching = sandbox.files.watch_dir("d", recursive=True)
            sandbox.files.write("d/deep/f", "x")
            sandbox.files.remove("d/deep/f")
            seen = []
            while ["deep/f", "remove"] not in seen:
                seen += [[event.name, event.type.value] for event in watching.get_new_events()]
            watching.stop()
            say(["deep/f", "create"] in seen, why(watching.get_new_events), why(sandbox.files.watch_dir, "none"), why(sandbox.files.watch_dir, "/etc/passwd"))

            async def main():
                same = await AsyncSandbox.connect(sandbox.sandbox_id)
                came, ended = asyncio.Queue(), asyncio.Queue()
                watching = await same.files.watch_dir("d", on_event=came.put_nowait, on_exit=ended.put_nowait)
                await same.files.make_dir("d/made")
                event = await came.get()
                await watching.stop()
                say(event.name, event.type.value)
                await same.files.watch_dir("d/made", on_event=lambda event: None, on_exit=ended.put_nowait)
                await same.files.remove("d/made")
                while (end := await ended.get()) is None:
                    pass
                say(type(end).__name__)

            asyncio.run(main())
            """,
            [True, "SandboxException", "FileNotFoundException", "InvalidArgumentException"],
            ["made", "create"],
            ["NotFoundException"],
        )
