"""engine: replies that go on: attach, logs, and further programs."""

import contextlib
import socket

from support.engine import EngineCase, Stream
from support.run import GLOVEBOX, execute
from support.times import wait_until

RAW = "application/vnd.docker.raw-stream"
FRAMED = "application/vnd.docker.multiplexed-stream"
CAT = ("cat",)
MANY = "head -c 3000000 /dev/zero"


class Attach(EngineCase):
    """POST /containers/X/attach."""

    def attach(self, one: str, *, body: object = None, **query: str) -> contextlib.AbstractContextManager[Stream]:
        """Attach with Upgrade, by default to both outputs."""
        asked = {"stream": "1", "stdout": "1", "stderr": "1"} | query
        return self.engine.hijack(f"/containers/{one}/attach?" + "&".join(f"{key}={value}" for key, value in asked.items()), body)

    def test_nothing_of_a_short_program_is_lost(self) -> None:
        """Attached before the start, it has all that a program prints whose sandbox is removed at once."""
        for _ in range(50):
            one = self.create("sh", "-c", "echo hi; echo ho >&2", HostConfig={"AutoRemove": True})
            with self.attach(one) as stream:
                self.assertEqual((stream.status, stream.headers["Content-Type"]), (101, FRAMED))
                self.assertEqual((stream.headers["Upgrade"], stream.headers["Connection"]), ("tcp", "Upgrade"))
                self.assert_answer(self.engine.post(f"/containers/{one}/start"), 204)
                self.assertEqual(stream.streams(), (b"hi\n", b"ho\n"))

    def test_without_upgrade_it_is_200_and_raw(self) -> None:
        """dockerode and curl: the frames, without chunks and a length, until the connection is closed."""
        one = self.create("sh", "-c", "echo hi; echo ho >&2")
        with self.engine.stream("POST", f"/containers/{one}/attach?stream=1&stdout=1&stderr=1", {}) as stream:
            self.assertEqual((stream.status, stream.headers["Content-Type"]), (200, RAW))
            self.assertEqual((stream.headers["Transfer-Encoding"], stream.headers["Content-Length"]), (None, None))
            self.assert_answer(self.engine.post(f"/containers/{one}/start"), 204)
            self.assertEqual(stream.streams(), (b"hi\n", b"ho\n"))

    def test_half_of_a_connection(self) -> None:
        """The end of input is that: output goes on."""
        one = self.create("sh", "-c", "cat; echo end", OpenStdin=True, StdinOnce=True, AttachStdin=True)
        with self.attach(one, stdin="1") as stream:
            self.assert_answer(self.engine.post(f"/containers/{one}/start"), 204)
            stream.send(b"some\n")
            stream.expect(b"some\n")
            stream.send(b"more\n")
            stream.end()
            self.assertEqual(stream.streams(), (b"some\nmore\nend\n", b""))

    def test_without_input_the_end_of_it_is_nothing(self) -> None:
        """The docker command without -i ends its half at once."""
        one = self.create("sh", "-c", "read x <&0; echo end")
        with self.attach(one) as stream:
            stream.end()
            self.assert_answer(self.engine.post(f"/containers/{one}/start"), 204)
            self.assertEqual(stream.streams(), (b"end\n", b""))

    def test_frames_are_those_of_the_start(self) -> None:
        """Its Tty decides, not that of the create: docker-py's exec_start leaves it out, and reads frames."""
        one = self.running()
        for command, said in ((("echo", "hi"), b"hi\r\n"), (("nowhere",), b"executable file not found")):
            made = self.make_exec(one, *command, Tty=True)
            with self.engine.hijack(f"/exec/{made}/start", {"Detach": False}) as stream:
                out, err = stream.streams()
                self.assertEqual((said in out, err), (True, b""), out)

    def test_a_body_is_no_input(self) -> None:
        """dockerode sends one with the upgrade."""
        one = self.create("cat", OpenStdin=True, StdinOnce=True)
        with self.attach(one, stdin="1", body={"stream": True}) as stream:
            self.assert_answer(self.engine.post(f"/containers/{one}/start"), 204)
            stream.send(b"typed\n")
            stream.end()
            self.assertEqual(stream.streams(), (b"typed\n", b""))

    def test_a_body_that_comes_late_is_no_input(self) -> None:
        """Behind a proxy the body comes apart from the head."""
        one = self.running("cat", OpenStdin=True, StdinOnce=True)
        body = b'{"stream":true}'
        head = f"POST /containers/{one}/attach?stream=1&stdin=1&stdout=1 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        with contextlib.closing(self.connection()) as client:
            for piece in (head.encode(), body[:4], body[4:]):
                client.sendall(piece)
            stream = Stream(client, b"typed\n")
            stream.end()
            self.assertEqual(stream.streams(), (b"typed\n", b""))

    def connection(self) -> socket.socket:
        """Return a plain connection."""
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(100)
        client.connect(str(self.engine.path))
        return client

    def test_what_comes_with_the_head_is_input(self) -> None:
        """A client need not wait for the answer."""
        one = self.running("cat", OpenStdin=True, StdinOnce=True)
        head = f"POST /containers/{one}/attach?stream=1&stdin=1&stdout=1 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: tcp\r\nContent-Length: 0\r\n\r\ntyped\n"
        with contextlib.closing(self.connection()) as client:
            stream = Stream(client, head.encode())
            stream.end()
            self.assertEqual(stream.streams(), (b"typed\n", b""))

    def test_a_terminal(self) -> None:
        """Its stream is raw, and it has a size."""
        one = self.create("sh", "-c", "while [ \"$(stty size)\" != '33 77' ]; do sleep 0.02; done; read x; echo got $x", Tty=True, OpenStdin=True)
        with self.attach(one, stdin="1") as stream:
            self.assertEqual((stream.status, stream.headers["Content-Type"]), (101, RAW))
            self.assert_answer(self.engine.post(f"/containers/{one}/start"), 204)
            self.assert_answer(self.engine.post(f"/containers/{one}/resize", h="33", w="77"))
            stream.send(b"word\n")
            self.assertIn(b"got word\r\n", stream.read())

    def test_a_terminal_without_input_stays(self) -> None:
        """A shell on a terminal that nobody types into must not see an end."""
        one = self.running("sh", Tty=True)
        self.assertEqual(self.exec(one, "echo", "hi"), (0, b"hi\n", b""))
        self.assertEqual(self.state(one)["Status"], "running")

    def test_one_output_alone(self) -> None:
        """The other is not sent."""
        for out, err, both in (("1", "0", (b"o\n", b"")), ("0", "1", (b"", b"e\n"))):
            one = self.create("sh", "-c", "echo o; echo e >&2")
            with self.attach(one, stdout=out, stderr=err) as stream:
                self.assert_answer(self.engine.post(f"/containers/{one}/start"), 204)
                self.assertEqual(stream.streams(), both)

    def test_earlier_lines_come_with_logs(self) -> None:
        """And those of later, each once."""
        one = self.running("sh", "-c", "echo early; read x; echo late", OpenStdin=True, StdinOnce=True)
        with self.engine.stream("GET", f"/containers/{one}/logs?stdout=1&follow=1") as stream:
            stream.expect(b"early\n")
        with self.attach(one, stdin="1", logs="1") as stream:
            stream.send(b"x\n")
            self.assertEqual(stream.streams(), (b"early\nlate\n", b""))

    def test_without_stream_there_are_only_the_logs(self) -> None:
        """logs=1 alone."""
        one = self.ended("echo", "hi")
        with self.attach(one, stream="0", logs="1") as stream:
            self.assertEqual(stream.streams(), (b"hi\n", b""))

    def test_a_start_that_fails_ends_it(self) -> None:
        """Also with AutoRemove: the docker command waits for both."""
        one = self.create("/nowhere", HostConfig={"AutoRemove": True})
        with self.attach(one) as stream, self.engine.stream("POST", f"/containers/{one}/wait?condition=removed") as wait:
            self.assertEqual(wait.status, 200)
            self.assert_answer(self.engine.post(f"/containers/{one}/start"), 400, "no such file or directory")
            self.assertEqual(stream.read(), b"")
            self.assertIn('"StatusCode":', wait.text())
        self.assertTrue(wait_until(lambda: self.engine.get(f"/containers/{one}/json").status == 404))

    def test_a_client_that_does_not_read_stops_only_its_program(self) -> None:
        """Others are answered, and what it does not take is not kept in memory."""
        one = self.create("sh", "-c", f"while :; do {MANY}; done")
        with self.attach(one):
            self.assert_answer(self.engine.post(f"/containers/{one}/start"), 204)
            other = self.ended("echo", "hi")
            self.assertEqual(self.logs(other), (b"hi\n", b""))
            self.assert_answer(self.engine.post(f"/containers/{one}/kill"), 204)


class Logs(EngineCase):
    """GET /containers/X/logs."""

    def test_both_streams_or_one(self) -> None:
        """With neither, 400."""
        one = self.ended("sh", "-c", "echo o; echo e >&2")
        for query, said in (({"stdout": "1"}, (b"o\n", b"")), ({"stderr": "true"}, (b"", b"e\n")), ({"stdout": "True", "stderr": "1"}, (b"o\n", b"e\n"))):
            answer = self.assert_answer(self.engine.get(f"/containers/{one}/logs", **query))
            self.assertEqual(answer.streams, said)
            self.assertEqual(answer.headers["Content-Type"], FRAMED)
        for query in ({}, {"stdout": "0", "stderr": "false"}):
            self.assert_answer(self.engine.get(f"/containers/{one}/logs", **query), 400, "at least one stream")

    def test_tail_counts_lines_of_both(self) -> None:
        """Before a stream is chosen."""
        one = self.ended("sh", "-c", "echo 1; sleep 0.1; echo 2; sleep 0.1; echo 3 >&2")
        get = lambda **query: self.engine.get(f"/containers/{one}/logs", stdout="1", **query).streams[0]
        self.assertEqual(get(tail="2"), b"2\n")
        self.assertEqual(get(tail="all"), b"1\n2\n")
        self.assertEqual(get(tail=""), b"1\n2\n")
        self.assertEqual(get(tail="0"), b"")
        self.assertEqual(get(tail="-1"), b"1\n2\n")

    def test_times(self) -> None:
        """Always with nine digits; since and until are seconds, with a fraction."""
        one = self.ended("echo", "hi")
        line = self.engine.get(f"/containers/{one}/logs", stdout="1", timestamps="1").streams[0].decode()
        self.assertRegex(line, r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z hi\n\Z")
        for query, said in (({"since": "0", "until": "0"}, b"hi\n"), ({"since": "4000000000"}, b""), ({"until": "1.5"}, b""), ({"since": "1.000000001"}, b"hi\n")):
            self.assertEqual(self.engine.get(f"/containers/{one}/logs", stdout="1", **query).streams[0], said, query)
        self.assert_answer(self.engine.get(f"/containers/{one}/logs", stdout="1", since="x"), 400)

    def test_follow_goes_on_to_the_end(self) -> None:
        """It has what was before, what comes, and ends with the program."""
        one = self.running("sh", "-c", "echo early; read x; echo late", OpenStdin=True, StdinOnce=True)
        with self.engine.stream("GET", f"/containers/{one}/logs?stdout=1&stderr=1&follow=1") as stream:
            self.assertEqual(stream.status, 200)
            stream.expect(b"early\n")
            with self.engine.hijack(f"/containers/{one}/attach?stream=1&stdin=1") as typing:
                typing.send(b"x\n")
                typing.read()
            self.assertIn(b"late\n", stream.read())

    def test_of_a_terminal_they_are_raw(self) -> None:
        """Lines end as a terminal's do."""
        one = self.ended("echo", "hi", Tty=True)
        answer = self.engine.get(f"/containers/{one}/logs", stdout="1", stderr="1")
        self.assertEqual((answer.body, answer.headers["Content-Type"]), (b"hi\r\n", RAW))

    def test_a_reader_that_waits_stops_nothing(self) -> None:
        """The program goes on to its end."""
        one = self.running("sh", "-c", MANY)
        with self.engine.stream("GET", f"/containers/{one}/logs?stdout=1&follow=1"):
            self.assertEqual(self.engine.post(f"/containers/{one}/wait").json["StatusCode"], 0)


class Exec(EngineCase):
    """Further programs."""

    def inspect(self, made: str) -> dict[str, object]:
        """Return what inspect says of an exec."""
        return self.assert_answer(self.engine.get(f"/exec/{made}/json")).json

    def test_output_and_exit_code(self) -> None:
        """The code is there as soon as the stream has ended; nothing is lost, in any of many."""
        one = self.running()
        self.assertIsNone(self.described(one)["ExecIDs"])
        for _ in range(20):
            self.assertEqual(self.exec(one, "sh", "-c", "echo o; echo e >&2; exit 7"), (7, b"o\n", b"e\n"))
        self.assertEqual(self.exec(one, "sh", "-c", "kill -KILL $$"), (137, b"", b""))

    def test_before_the_start(self) -> None:
        """It has no exit code, and says what it is to run."""
        one = self.running()
        made = self.make_exec(one, "echo", "a", "b", Tty=True)
        found = self.inspect(made)
        self.assertEqual((found["Running"], found["ExitCode"], found["ContainerID"], found["ID"]), (False, None, one, made))
        process = found["ProcessConfig"]
        self.assertEqual((process["entrypoint"], process["arguments"], process["tty"]), ("echo", ["a", "b"], True))

    def test_while_it_runs(self) -> None:
        """It says so, and a second start is refused."""
        one = self.running()
        made = self.make_exec(one, "sh", "-c", "echo begun; cat", AttachStdin=True)
        with self.engine.hijack(f"/exec/{made}/start", {}) as stream:
            stream.expect(b"begun\n")
            found = self.inspect(made)
            self.assertEqual((found["Running"], found["ExitCode"]), (True, None))
            for body in ({}, {"Detach": True}):
                self.assert_answer(self.engine.post(f"/exec/{made}/start", body), 409, "has already run")
            stream.send(b"typed")
            stream.end()
            self.assertEqual(stream.streams(), (b"begun\ntyped", b""))
        found = self.inspect(made)
        self.assertEqual((found["Running"], found["ExitCode"]), (False, 0))
        self.assert_answer(self.engine.post(f"/exec/{made}/start", {}), 409, "has already run")

    def test_variables_directory_user(self) -> None:
        """Those of the body."""
        one = self.running()
        said = self.exec(one, "sh", "-c", "echo $A $(pwd)", Env=["A=x y"], WorkingDir="/tmp")
        self.assertEqual(said, (0, b"x y /tmp\n", b""))

    def test_a_missing_program_is_told_in_the_stream(self) -> None:
        """And by the exit code: 127, or 126 for one that cannot be executed."""
        one = self.running()
        for program, code, text in (("nowhere", 127, b"executable file not found"), ("/nowhere", 127, b"no such file or directory"), ("/etc", 126, b"permission denied")):
            status, out, err = self.exec(one, program)
            self.assertEqual((status, err), (code, b""))
            self.assertIn(text, out)
            self.assertTrue(out.endswith(b"\r\n"), out)
        made = self.make_exec(one, "nowhere")
        self.assert_answer(self.engine.post(f"/exec/{made}/start", {"Detach": True}), 400, "executable file not found")

    def test_detached(self) -> None:
        """An ordinary 200; its exit code is known later."""
        one = self.running()
        made = self.make_exec(one, "sh", "-c", "exit 7")
        self.assertEqual(self.assert_answer(self.engine.post(f"/exec/{made}/start", {"Detach": True, "Tty": False})).body, b"")
        self.assertTrue(wait_until(lambda: not self.inspect(made)["Running"]))
        self.assertEqual(self.inspect(made)["ExitCode"], 7)
        self.assert_answer(self.engine.post(f"/exec/{made}/start", {"Detach": True}), 409, "has already run")

    def test_a_terminal(self) -> None:
        """Raw, with the size that was named at the start, or later."""
        one = self.running()
        made = self.make_exec(one, "sh", "-c", "stty size; while [ \"$(stty size)\" != '44 88' ]; do sleep 0.02; done; read x; echo $x", Tty=True, AttachStdin=True)
        with self.engine.hijack(f"/exec/{made}/start", {"Detach": False, "Tty": True, "ConsoleSize": [33, 77]}) as stream:
            self.assertEqual(stream.headers["Content-Type"], RAW)
            stream.expect(b"33 77\r\n")
            self.assert_answer(self.engine.post(f"/exec/{made}/resize", h="44", w="88"))
            stream.send(b"x\n")
            self.assertTrue(stream.read().endswith(b"x\r\n"), stream.seen)
        self.assertEqual(self.inspect(made)["ExitCode"], 0)

    def test_a_size_that_is_told_at_once(self) -> None:
        """The docker command tells it as soon as the stream is open: it is kept, whatever has begun by then."""
        one = self.running()
        for _ in range(20):
            made = self.make_exec(one, "sh", "-c", "until [ \"$(stty size)\" = '44 88' ]; do sleep 0.02; done", Tty=True)
            with self.engine.hijack(f"/exec/{made}/start", {"Tty": True}) as stream:
                self.assert_answer(self.engine.post(f"/exec/{made}/resize", h="44", w="88"))
                stream.read()

    def test_the_end_of_what_is_typed(self) -> None:
        """It does not hang up a terminal: what came before is read, and answered."""
        one = self.running()
        made = self.make_exec(one, "sh", "-c", "read x; echo got $x", Tty=True, AttachStdin=True)
        with self.engine.hijack(f"/exec/{made}/start", {"Tty": True}) as stream:
            stream.send(b"word\n")
            stream.end()
            self.assertIn(b"got word\r\n", stream.read())

    def test_a_body_is_no_input(self) -> None:
        """The body of the start comes before what is typed."""
        one = self.running()
        made = self.make_exec(one, "cat", AttachStdin=True)
        with self.engine.hijack(f"/exec/{made}/start", {"Detach": False, "Tty": False}) as stream:
            stream.send(b"typed")
            stream.end()
            self.assertEqual(stream.streams(), (b"typed", b""))

    def test_much_of_both(self) -> None:
        """Every byte comes, in order."""
        one = self.running()
        status, out, err = self.exec(one, "sh", "-c", "seq 1 200000; seq 1 100000 >&2")
        self.assertEqual((status, out, err), (0, "".join(f"{n}\n" for n in range(1, 200001)).encode(), "".join(f"{n}\n" for n in range(1, 100001)).encode()))

    def test_what_cannot_be(self) -> None:
        """No such exec, no command, a container that does not run, wrong types."""
        one = self.running()
        for path in ("json", "start", "resize?h=1&w=1"):
            for made in ("0" * 64, one, "x"):
                answer = self.engine.get(f"/exec/{made}/{path}") if path == "json" else self.engine.post(f"/exec/{made}/{path}", {})
                self.assert_answer(answer, 404, f"No such exec instance: {made}")
        for body in ({}, {"Cmd": []}, {"Cmd": None}, {"Cmd": "ls"}):
            self.assert_answer(self.engine.post(f"/containers/{one}/exec", body), 400)
        for body in ({"Cmd": [1]}, {"Cmd": ["ls"], "Env": [1]}, {"Cmd": ["ls"], "Env": "A=1"}):
            answer = self.engine.post(f"/containers/{one}/exec", body)
            if answer.status == 201:
                answer = self.engine.post(f"/exec/{answer.json['Id']}/start", {})
            self.assert_answer(answer, 400)
        made = self.make_exec(one, "true")
        self.assert_answer(self.engine.post(f"/containers/{one}/kill"), 204)
        self.assert_answer(self.engine.post(f"/containers/{one}/wait"))
        self.assert_answer(self.engine.post(f"/containers/{one}/exec", {"Cmd": ["true"]}), 409, "is not running")
        self.assert_answer(self.engine.delete(f"/containers/{one}"), 204)
        self.assert_answer(self.engine.get(f"/exec/{made}/json"), 404, "No such exec instance")

    def test_a_client_that_leaves_takes_nothing_along(self) -> None:
        """The program goes on, and its exit code is kept."""
        one = self.running()
        made = self.make_exec(one, "sh", "-c", "echo begun; while [ ! -e /tmp/go ]; do sleep 0.02; done; exit 3")
        with self.engine.hijack(f"/exec/{made}/start", {}) as stream:
            stream.expect(b"begun\n")
        self.assertEqual(self.exec(one, "touch", "/tmp/go"), (0, b"", b""))
        self.assertTrue(wait_until(lambda: not self.inspect(made)["Running"]))
        self.assertEqual(self.inspect(made)["ExitCode"], 3)

    def test_many_are_forgotten_and_the_last_are_not(self) -> None:
        """Instances that have ended do not pile up."""
        one = self.running()
        made = [self.make_exec(one, "true") for _ in range(20)]
        for each in made:
            with self.engine.hijack(f"/exec/{each}/start", {}) as stream:
                stream.read()
        self.assertTrue(all(self.inspect(each)["ExitCode"] == 0 for each in made))

    def test_their_command_sees_what_ours_started(self) -> None:
        """An exec of the docker command is none of the Engine's, and disturbs none."""
        one = self.running()
        done = execute([GLOVEBOX, "exec", one, "echo", "hi"], env=self.env)
        self.assertEqual((done.status, done.out), (0, "hi\n"))
        self.assertEqual(self.exec(one, "echo", "ho"), (0, b"ho\n", b""))


