"""A client of the Engine's socket that wants more than its user's `docker` may ask, and a container that lies to it.

The rows of engine_rows.py are refused, and nothing is made or changed. What is accepted has the meaning that the
command line gives it, and no other: these tests look at what came of it.
"""

import contextlib
import io
import json
import os
import socket
import stat
import tarfile
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

from engine_rows import ASKED, BODIES, FRAMING, PATHS, PRIVILEGES, WORDS
from support.engine import UPGRADE, Answer, EngineCase, connect, demultiplex
from support.run import PYTHON, unique
from support.times import DEADLINE, wait_until

MIB = 1 << 20
CROWD = 200


class EngineAttackCase(EngineCase):
    """One container that runs, `self.one`, a directory that may be mounted, and what must stay as it is."""

    def setUp(self) -> None:
        super().setUp()
        self.name = unique("one")  # names are the user's, whatever the place of his records
        self.one = self.running("sleep", "1000", name=self.name)
        self.here = self.subfolder("here")
        self.before = self.there_is()

    def there_is(self) -> object:
        """Return what there is: the containers, what runs in the first, and the directory."""
        all_of_them = self.engine.get("/containers/json", all="1").json
        named = [(c["Id"], c["Names"], c["State"], c["Image"], c["Mounts"]) for c in all_of_them]
        return named, [*self.here.iterdir()], self.engine.process.poll()

    def filled(self, thing: Any) -> Any:
        """Return a row's request with this test's own names."""
        text = json.dumps(thing).replace("HERE", str(self.here)).replace("SOCKET", str(self.engine.path))
        return json.loads(text.replace("ONE", self.one))

    def refused(self, answer: Answer, status: int | None, word: str) -> None:
        """Assert that an answer refuses, in the form of the Engine, and that nothing has changed."""
        if status is None:
            self.assertIn(answer.status, range(400, 600), answer)
        else:
            self.assertEqual(answer.status, status, answer)
        self.assertIn(word, answer.message)
        self.assertEqual(self.there_is(), self.before)

    def raw(self, data: bytes, half: bool = False) -> bytes:
        """Send bytes; return all that comes, until the end of the connection."""
        with contextlib.closing(connect(self.engine.path)) as client:
            with contextlib.suppress(BrokenPipeError):
                client.sendall(data)
            if half:
                client.shutdown(socket.SHUT_WR)
            found = b""
            with contextlib.suppress(ConnectionResetError):
                while more := client.recv(1 << 16):
                    found += more
            return found

    def memory(self) -> int:
        """Return the bytes of memory of the engine."""
        pages = Path(f"/proc/{self.engine.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGESIZE")


class Rows(EngineAttackCase):
    """What is refused."""

    quick = ("test_privileges", "test_words")

    def refuse_creates(self, rows: list[tuple[str, Any, str]], member: str = "") -> None:
        for what, given, word in rows:
            with self.subTest(what):
                body = {"Image": "host", "Cmd": ["true"]} | ({member: given} if member else given)
                self.refused(self.engine.post("/containers/create", self.filled(body)), 400, word)

    def test_privileges(self) -> None:
        self.refuse_creates(PRIVILEGES, "HostConfig")

    def test_paths(self) -> None:
        self.refuse_creates(PATHS, "HostConfig")

    def test_words(self) -> None:
        for what, given, word in WORDS:
            with self.subTest(what):
                body = self.filled({"Image": "host", "Cmd": ["true"]} | given)
                status = 404 if word == "no image" else 400
                answer = self.engine.post("/containers/create", body)
                self.assertIn(answer.status, {400, status}, answer)
                self.refused(answer, None, word)

    def test_asked(self) -> None:
        for what, asked, status, word in ASKED:
            with self.subTest(what):
                method, path = self.filled(asked).split(" ", 1)
                body = b"{}" if method == "POST" else None
                self.refused(self.engine.request(method, path, body), status, word)

    def test_bodies(self) -> None:
        for what, body in BODIES:
            with self.subTest(what):
                self.refused(self.engine.request("POST", "/containers/create", body), 400, "")

    def test_framing(self) -> None:
        for what, sent, status in FRAMING:
            with self.subTest(what):
                answer = self.raw(sent.encode(), half=True)
                self.assertEqual(answer.count(b"\r\nDate: "), 1, answer)
                found = int(answer.split()[1])
                self.assertTrue(found == status or (status is None and found >= 400), answer)
                self.assertEqual(self.there_is(), self.before)

    def test_updates(self) -> None:
        """A member that an update does not have changes nothing; one that it has is judged."""
        given = {"Privileged": True, "CapAdd": ["ALL"], "Binds": ["/:/x"], "SecurityOpt": ["seccomp=unconfined"]}
        self.assert_answer(self.engine.post(f"/containers/{self.one}/update", given))
        self.assertEqual(self.there_is(), self.before)
        for given in ({"RestartPolicy": {"Name": "always"}}, {"CgroupParent": "/"}, {"Memory": "x"}, {"Memory": -1}):
            self.refused(self.engine.post(f"/containers/{self.one}/update", given), 400, "")


class Accepted(EngineAttackCase):
    """What is accepted has no meaning but its own."""

    as_user = ("test_the_socket_is_not_reached_from_inside",)

    def outcome(self, *command: str, **body: Any) -> str:
        """Return what a container prints, from its start to its end."""
        return self.logs(self.ended(*command, **body))[0].decode()

    def test_words_of_the_program_are_its_own(self) -> None:
        one = self.ended("--privileged", "-v", "/:/x", Entrypoint=["/bin/echo", "--cap-add=ALL"])
        self.assertEqual(self.logs(one)[0], b"--cap-add=ALL --privileged -v /:/x\n")
        self.assertEqual(self.described(one)["Mounts"], [])

    def test_variables_are_those_that_were_given(self) -> None:
        secret = self.engine.env["XDG_STATE_HOME"]
        given = ["XDG_STATE_HOME", "GLOVEBOX_TELL", "GLOVEBOX_CEILING", "A=b\nC=d"]
        out = self.outcome(PYTHON, "-c", "import os; print(dict(os.environ))", Env=given)
        self.assertIn(r"'A': 'b\nC=d'", out)
        for word in (secret, "GLOVEBOX_TELL", "GLOVEBOX_CEILING", "'C'"):
            self.assertNotIn(word, out)

    def test_nothing_of_ours_is_open_inside(self) -> None:
        look = "import os; print(sorted(os.listdir('/proc/self/fd')))"
        self.assertEqual(self.outcome(PYTHON, "-c", look), "['0', '1', '2', '3']\n")  # 3: the listing's own
        self.assertEqual(self.exec(self.one, PYTHON, "-c", look)[1], b"['0', '1', '2', '3']\n")

    def test_what_would_open_it_stays_closed(self) -> None:
        """Members that have no flag are not followed, and what they take away stays."""
        host = {
            "MaskedPaths": [], "ReadonlyPaths": [], "ContainerIDFile": f"{self.here}/cid",
            "LogConfig": {"Type": "json-file", "Config": {"path": f"{self.here}/log"}},
            **{"Mounts": [{"Type": "bind", "Source": str(self.here), "Target": "/x", "ReadOnly": True,
                           "BindOptions": {"Propagation": "rshared", "CreateMountpoint": True}}]},
        }  # fmt: skip
        out = self.outcome(
            "sh", "-c",
            "cat /proc/kcore /proc/keys >/dev/null; echo x >/proc/sys/kernel/hostname; echo x >/x/y; ls /sys;"
            "grep -e Seccomp: -e CapEff -e NoNewPrivs /proc/self/status; grep ' /x ' /proc/self/mountinfo; true",
            HostConfig=host, NetworkingConfig={"EndpointsConfig": {"host": {}}},
        )  # fmt: skip
        self.assertIn("Seccomp:\t2", out)
        self.assertIn("CapEff:\t0000000000000000", out)
        self.assertIn("NoNewPrivs:\t1", out)
        self.assertNotIn("shared:", out)
        self.assertEqual([*self.here.iterdir()], [])

    def test_labels_stay_single(self) -> None:
        made = self.create("true", Labels={"a\nb": "c\nother=d"})
        listed = self.engine.get("/containers/json", all="1", filters={"label": ["other"]})
        self.assertEqual(listed.json, [])
        self.assertEqual(self.described(made)["Config"]["Labels"], {"a\nb": "c\nother=d"})

    def test_a_name_like_an_id_hides_no_exec(self) -> None:
        made = self.make_exec(self.one, "true")
        self.create("true", name=self.one[:32])
        self.assert_answer(self.engine.get(f"/exec/{made}/json"))

    def test_the_socket_is_not_reached_from_inside(self) -> None:
        """Its directory may be mounted by another name; who comes from a sandbox is turned away."""
        self.assertEqual(stat.S_IMODE(self.engine.path.stat().st_mode), 0o600)
        where = self.folder / "by-a-link"
        where.symlink_to(self.folder)
        script = f"""
import socket
client = socket.socket(socket.AF_UNIX)
try:
    client.connect('/x/{self.engine.path.name}')
    client.sendall(b'GET /info HTTP/1.0\\r\\n\\r\\n')
    print(client.recv(1000))
except OSError:
    print(b'')
"""
        one = self.create(PYTHON, "-c", script, HostConfig={"Binds": [f"{where}:/x"]})
        os.chmod(self.folder, 0o755)  # noqa: S103 - the sandbox has to get as far as the socket
        self.engine.post(f"/containers/{one}/start")
        self.engine.post(f"/containers/{one}/wait")
        self.assertEqual(self.logs(one)[0], b"b''\n")


class Execs(EngineAttackCase):
    """Programs that are started in what runs."""

    def test_refused(self) -> None:
        for what, given, word in (
            ("a number", {"Cmd": [1]}, "Cmd"),
            ("null", {"Cmd": [None]}, "Cmd"),
            ("a text", {"Cmd": "ls"}, ""),
            ("nothing", {"Cmd": []}, "No exec command"),
            ("variables as an object", {"Cmd": ["true"], "Env": {"A": "b"}}, "Env"),
        ):
            with self.subTest(what):
                self.refused(self.engine.post(f"/containers/{self.one}/exec", given), 400, word)

    def test_run_but_not_so(self) -> None:
        for what, given, word in (
            ("Privileged", {"Privileged": True}, "--privileged"),
            ("another user", {"User": "0:0"}, "--user"),
            ("a user that is a flag", {"User": "--privileged"}, "--user"),
            ("a directory above", {"WorkingDir": "../.."}, "--workdir"),
        ):
            with self.subTest(what):
                code, out, _ = self.exec(self.one, "true", **given)
                self.assertEqual(code, 125)
                self.assertIn(word, out.decode())

    def test_words_are_the_programs(self) -> None:
        self.assertEqual(self.exec(self.one, "--privileged", "true")[0], 127)
        self.assertEqual(self.exec(self.one, "echo", "--", "-it")[1], b"-- -it\n")

    def test_it_begins_once(self) -> None:
        """Of many that start the same one, by two engines, one does."""
        made = self.make_exec(self.one, "sh", "-c", "echo x >>/tmp/count")
        engines = [self.engine, self.start_engine()]
        found: list[int] = []
        start = [threading.Thread(target=lambda e=e: found.append(e.post(f"/exec/{made}/start", {}).status))
                 for e in engines * 4]  # fmt: skip
        for thread in start:
            thread.start()
        for thread in start:
            thread.join()
        self.assertEqual(sorted(found), [200] + [409] * 7)
        self.assertEqual(self.exec(self.one, "cat", "/tmp/count")[1], b"x\n")

    def test_an_engine_that_is_killed(self) -> None:
        """What runs goes on, its exec says that its server is lost, and the next engine serves both."""
        made = self.make_exec(self.one, "sleep", "1000")
        with self.engine.hijack(f"/exec/{made}/start", {}):
            wait_until(lambda: self.engine.get(f"/exec/{made}/json").json["Running"])
            self.engine.process.kill()
            self.engine.process.wait()
        self.engine = self.start_engine()
        self.assertEqual(self.state(self.one)["Status"], "running")
        found = self.engine.get(f"/exec/{made}/json").json
        self.assertEqual((found["Running"], found["ExitCode"]), (False, 137))
        self.assertEqual(self.exec(self.one, "echo", "there")[1], b"there\n")


class Archives(EngineAttackCase):
    """Tar streams that lead elsewhere."""

    def tar(self, *members: tuple[str, bytes, str]) -> bytes:
        """Return an archive of members: a name, a type and where it leads."""
        whole = io.BytesIO()
        with tarfile.open(fileobj=whole, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for name, kind, link in members:
                info = tarfile.TarInfo(name)
                info.type, info.linkname, info.mode = kind, link, 0o6777
                info.size = 1 if kind == tarfile.REGTYPE else 0
                archive.addfile(info, io.BytesIO(b"x"))
        return whole.getvalue()

    def put(self, data: bytes, path: str = "/tmp") -> Answer:
        """Send one."""
        return self.engine.request("PUT", f"/containers/{self.one}/archive?path={quote(path)}", data)

    def test_what_leads_out(self) -> None:
        victim = self.file("victim", "as it was")
        regular, link, hard = tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE
        for what, members in (
            ("..", [("../../x", regular, "")]),
            ("below a link", [("l", link, "/etc"), ("l/x", regular, "")]),
            ("below a link to the host", [("l", link, str(self.folder)), ("l/victim", regular, "")]),
            ("a hard link", [("h", hard, "/etc/passwd")]),
            ("a hard link above", [("h", hard, "../../etc/passwd")]),
            ("a device", [("d", tarfile.CHRTYPE, "")]),
            ("a FIFO", [("f", tarfile.FIFOTYPE, "")]),
        ):
            with self.subTest(what):
                self.assertGreaterEqual(self.put(self.tar(*members)).status, 400)
        for what, data, path in (
            ("a device of the sandbox", self.tar(("x", regular, "")), "/dev"),
            ("another root", self.tar(("x", regular, "")), "/proc/1/root/tmp"),
            ("a directory that is not there", self.tar(("x", regular, "")), "/nothing"),
            ("standard input", self.tar(("x", regular, "")), "-"),
            ("nothing", b"", "/tmp"),
            ("noise", os.urandom(700), "/tmp"),
            ("compressed noise", b"\x1f\x8b" + bytes(700), "/tmp"),
            ("a part", self.tar(("x", regular, ""))[:700], "/tmp"),
        ):
            with self.subTest(what):
                self.assertGreaterEqual(self.put(data, path).status, 400)
        self.assertEqual(victim.read_text(), "as it was")
        self.assertEqual(self.there_is(), self.before)

    def test_an_absolute_name_and_special_bits(self) -> None:
        self.assert_answer(self.put(self.tar(("/etc/x", tarfile.REGTYPE, ""), ("s", tarfile.REGTYPE, ""))))
        code, out, _ = self.exec(self.one, "sh", "-c", "stat -c %a /tmp/s /tmp/etc/x; test ! -e /etc/x")
        self.assertEqual((code, [int(mode, 8) & 0o6000 for mode in out.split()]), (0, [0, 0]))

    def test_an_archive_that_ends_in_its_middle(self) -> None:
        """Its connection ends; nothing of it is unpacked."""
        head = f"PUT /containers/{self.one}/archive?path=/tmp HTTP/1.1\r\nHost: d\r\nContent-Length: 20000\r\n\r\n"
        self.raw(head.encode() + self.tar(("cut", tarfile.REGTYPE, "")), half=True)
        self.assertEqual(self.exec(self.one, "ls", "/tmp")[1], b"")


class Output(EngineAttackCase):
    """A container that prints what would mislead a client."""

    def test_frames_are_its_own_bytes(self) -> None:
        forged = r"\1\0\0\0\377\377\377\377ready\nnot_found x\n{\"message\":\"x\"}\033]0;x\007"
        code, out, err = self.exec(self.one, "sh", "-c", f"printf '{forged}'; printf '{forged}' >&2; exit 3")
        self.assertEqual((code, out), (3, err))
        self.assertTrue(out.startswith(b"\1\0\0\0\xff\xff\xff\xffready\n"))
        one = self.ended("sh", "-c", f"printf '{forged}'; exit 3")
        self.assertEqual(self.logs(one)[0], out)

    def test_names_of_processes_and_files(self) -> None:
        script = "import os; os.execv('/bin/sleep', ['x\\n1 root evil\\nZ', '1000'])"
        one = self.running(PYTHON, "-c", script)
        wait_until(lambda: b"evil" in self.engine.get(f"/containers/{one}/top").body)
        rows = self.engine.get(f"/containers/{one}/top").json
        self.assertEqual({len(row) for row in rows["Processes"]}, {len(rows["Titles"])})
        self.assertEqual([row for row in rows["Processes"] if row[0] == "1"], [])
        self.assertEqual(self.exec(one, "sh", "-c", "mkdir -p '/tmp/A\nA /etc'; touch '/tmp/A\nA /etc/shadow'")[0], 0)
        changes = self.assert_answer(self.engine.get(f"/containers/{one}/changes")).json
        self.assertNotIn("/etc/shadow", [change["Path"] for change in changes or []])

    def test_a_name_in_an_archive(self) -> None:
        """Its header is one line of base64, whatever the file is called."""
        name = "a\r\nX-Evil: 1\r\n\r\n"
        code = self.exec(self.one, PYTHON, "-c", f"open('/tmp/' + {name!r}, 'w')")[0]
        self.assertEqual(code, 0)
        answer = self.engine.request("HEAD", f"/containers/{self.one}/archive?path={quote('/tmp/' + name)}")
        self.assertEqual(answer.status, 200)
        self.assertNotIn("X-Evil", answer.headers)


class Connections(EngineAttackCase):
    """Clients that keep to nothing."""

    def test_who_never_reads(self) -> None:
        """His program is held up, and the engine's memory stays."""
        made = self.make_exec(self.one, "cat", "/dev/zero")
        self.engine.get("/info")
        before = self.memory()
        with self.engine.hijack(f"/exec/{made}/start", {}), self.engine.stream(
            "GET", f"/containers/{self.one}/stats?stream=1"
        ):
            time.sleep(1)
            self.assertLess(self.memory() - before, 8 * MIB)
            self.assert_answer(self.engine.get("/info"))

    def test_who_never_asks(self) -> None:
        """Two hundred that are half open, and one that is served."""
        with contextlib.ExitStack() as stack:
            for i in range(CROWD):
                client = stack.enter_context(contextlib.closing(connect(self.engine.path)))
                client.sendall([b"", b"GET /in", b"POST /containers/create HTTP/1.1\r\nContent-Length: 9\r\n\r\n"][i % 3])
            self.assert_answer(self.engine.get("/info"))
        self.assertEqual(self.there_is(), self.before)

    def test_two_hundred_at_once(self) -> None:
        found: list[int] = []
        asked = [threading.Thread(target=lambda: found.append(self.engine.get("/containers/json").status))
                 for _ in range(CROWD)]  # fmt: skip
        for thread in asked:
            thread.start()
        for thread in asked:
            thread.join(DEADLINE)
        self.assertEqual(found, [200] * CROWD)
        wait_until(lambda: not Path(f"/proc/{self.engine.process.pid}/task/{self.engine.process.pid}/children").read_text())

    def test_a_request_behind_an_upgrade_is_input(self) -> None:
        """It reaches the program, and no route."""
        made = self.make_exec(self.one, "cat", AttachStdin=True)
        second = f"DELETE /containers/{self.one}?force=1 HTTP/1.1\r\nHost: docker\r\n\r\n".encode()
        head = "".join(f"{name}: {value}\r\n" for name, value in UPGRADE.items())
        first = f"POST /exec/{made}/start HTTP/1.1\r\nHost: docker\r\n{head}Content-Length: 2\r\n\r\n{{}}"
        answer = self.raw(first.encode() + second, half=True)
        self.assertTrue(answer.startswith(b"HTTP/1.1 101 "), answer)
        self.assertEqual(demultiplex(answer.partition(b"\r\n\r\n")[2])[0], second)
        self.assertEqual(self.there_is(), self.before)

    def test_who_leaves_at_any_moment(self) -> None:
        """The engine serves on, and has no process or descriptor more."""
        asked = (
            f"GET /containers/{self.one}/logs?stdout=1&follow=1",
            f"GET /containers/{self.one}/stats",
            f"GET /containers/{self.one}/archive?path=/usr/lib",
            f"HEAD /containers/{self.one}/archive?path=/usr/lib",
            f"POST /containers/{self.one}/wait?condition=next-exit",
            f"POST /containers/{self.one}/attach?stream=1&stdout=1&stdin=1",
            "GET /events",
            f"GET /containers/{self.one}/top",
        )
        folder = Path(f"/proc/{self.engine.process.pid}/fd")
        before = len([*folder.iterdir()])
        for i in range(4 * len(asked)):
            method, path = asked[i % len(asked)].split(" ")
            head = "".join(f"{name}: {value}\r\n" for name, value in UPGRADE.items())
            with contextlib.closing(connect(self.engine.path)) as client:
                client.sendall(f"{method} {path} HTTP/1.1\r\nHost: d\r\n{head}\r\n".encode())
                if i & 8:
                    client.recv(1)
                if i & 16:
                    client.shutdown(socket.SHUT_WR)
        wait_until(lambda: len([*folder.iterdir()]) <= before)
        self.assertEqual(self.there_is(), self.before)
