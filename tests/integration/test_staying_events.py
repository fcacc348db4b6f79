"""events: what becomes of sandboxes that stay is told, in docker's words and in order."""

import json
import os
import re
import signal
import stat
import subprocess
from pathlib import Path
from typing import Any

from integration.staying import WAITS, Staying
from support.run import GLOVEBOX, execute, parallel, unique
from support.times import DEADLINE, wait_until

FULL = 1 << 20  # bytes, from which on a file of events becomes the old one


class Events(Staying):
    """The command events."""

    as_user = True

    def told(self, *flags: str) -> list[dict[str, Any]]:
        """Return what has been so far."""
        result = self.assert_status(self.ours("events", "--since", "0", "--until", "0s", "--format", "json", *flags))
        self.assertEqual(result.err, "")
        return [json.loads(line) for line in result.out.splitlines()]

    def actions(self, *flags: str) -> list[str]:
        """Return the words for it."""
        return [event["Action"] for event in self.told(*flags)]

    @property
    def lines(self) -> Path:
        """Return the file of events."""
        return self.folder / "state/glovebox/events/lines"

    def fill(self, bytes: int) -> None:
        """Put that many bytes of events of others before those that come."""
        self.lines.parent.mkdir(parents=True, mode=0o700)
        line = json.dumps({"Type": "container", "Action": "other", "id": "0" * 64, "timeNano": "1"}) + "\n"
        self.lines.write_text(line * (bytes // len(line) + 1))
        self.lines.chmod(0o600)

    def follower(self, *flags: str) -> subprocess.Popen[str]:
        """Return a process that follows, once it does so."""
        self.lines.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
        line = [GLOVEBOX, "events", "--since", "0", "--format", "{{.Action}}", *flags]
        process = self.start(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | self.env, text=True)
        self.await_follower(process)
        return process

    def test_a_life(self) -> None:
        script = f"trap 'exit 0' TERM; echo ready; {WAITS.partition(';')[2]}"
        name, new = self.stay("--label", "x.y=1", "--label", "flag", sh=script), unique("new")
        wait_until(lambda: self.ours("logs", name).out)
        id = self.described(name)["Id"]
        self.assert_status(self.inside(name, "exit 3"), 3)
        self.assert_status(self.ours("rename", name, new))
        self.assert_status(self.ours("kill", "-s", "WINCH", new))
        self.assert_status(self.ours("stop", "-t", "100", new))
        self.assert_status(self.ours("start", new))
        self.assert_status(self.ours("kill", new))
        self.assert_prints("137", self.ours("wait", new))
        self.assert_status(self.ours("rm", new))
        wanted = [
            ("create", {}),
            ("start", {}),
            ("exec_create: /bin/sh -c exit 3", {"execID": "1"}),
            ("exec_start: /bin/sh -c exit 3", {"execID": "1"}),
            ("exec_die", {"execID": "1", "exitCode": "3"}),
            ("rename", {"oldName": f"/{name}"}),
            ("kill", {"signal": str(int(signal.SIGWINCH))}),
            ("kill", {"signal": "15"}),
            ("die", {"exitCode": "0"}),
            ("stop", {}),
            ("start", {}),
            ("kill", {"signal": "9"}),
            ("die", {"exitCode": "137"}),
            ("destroy", {}),
        ]
        always = {"image": "host:latest", "x.y": "1", "flag": ""}
        named = [{"name": name if at < 5 else new} for at in range(len(wanted))]
        told = self.told()
        self.assertEqual([event["Action"] for event in told], [action for action, _ in wanted])
        for event, (action, more), its in zip(told, wanted, named):
            self.assertEqual(event["Actor"], {"ID": id, "Attributes": always | more | its})
            self.assertEqual((event["status"], event["id"], event["from"]), (action, id, "host:latest"))
            self.assertEqual((event["Type"], event["scope"]), ("container", "local"))
            self.assertEqual(event["timeNano"] // 10**9, event["time"])
        self.assertEqual(sorted(event["timeNano"] for event in told), [event["timeNano"] for event in told])

    def test_restart(self) -> None:
        name = self.stay(sh=WAITS)
        self.assert_status(self.ours("restart", name))
        self.assertEqual(self.actions(), ["create", "start", "kill", "die", "stop", "start", "restart"])

    def test_update(self) -> None:
        name = self.stay(sh=WAITS)
        self.assert_status(self.ours("update", "--timeout", "1h", name))
        self.assertNotEqual(self.ours("update", "--memory", "1", name).status, 0)
        self.assert_status(self.ours("kill", name))
        self.assert_status(self.ours("update", "--timeout", "1h", name))
        self.assertEqual(self.actions(), ["create", "start", "update", "kill", "die", "update"])
        self.assertEqual(self.told("--filter", "event=update")[0]["Actor"]["Attributes"], {"image": "host:latest", "name": name})

    def test_removed_at_its_end(self) -> None:
        self.assert_status(self.ours("kill", self.stay("--rm")))
        self.assertEqual(self.actions(), ["create", "start", "kill", "die", "destroy"])

    def test_one_that_does_not_start(self) -> None:
        self.assert_status(self.detached(argv=["/nowhere"]), 127)
        self.assertEqual(self.actions(), ["create", "destroy"])
        self.assert_status(self.detached("--name", "a/b", argv=["true"]), 125)
        self.assertEqual(len(self.told()), 2)

    def test_one_that_was_made_only(self) -> None:
        name = self.assert_status(self.ours("create", "host", "true")).out.strip()
        self.assert_status(self.ours("rm", name))
        self.assertEqual(self.actions(), ["create", "destroy"])

    def test_its_memory(self) -> None:
        self.end_of(self.stay("--memory=40m", py="b = bytearray(200 << 20); b[::4096] = b'x' * len(b[::4096])"))
        self.assertEqual(self.actions(), ["create", "start", "oom", "die"])

    def test_attach_and_programs_whose_client_leaves(self) -> None:
        name = self.stay("-i", argv=["cat"])
        self.assert_status(self.ours("exec", "-d", name, "sh", "-c", "exit 4"))
        wait_until(lambda: "exec_die" in self.actions())
        with subprocess.Popen([GLOVEBOX, "attach", name], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=os.environ | self.env) as client:
            self.assertTrue(wait_until(lambda: "attach" in self.actions()))
            client.kill()
        self.assertEqual(self.told("--filter", "event=exec_die")[0]["Actor"]["Attributes"]["exitCode"], "4")

    def test_copying_is_no_program_of_the_user(self) -> None:
        name = self.stay()
        self.assert_status(self.ours("cp", f"{name}:/tmp", self.folder / "copy"))
        self.assertEqual(self.actions(), ["create", "start"])

    def test_a_monitor_that_is_killed_says_nothing(self) -> None:
        name = self.stay()
        os.kill(self.state(name)["Pid"], signal.SIGKILL)
        wait_until(lambda: self.field(name, "State.Status") == "dead")
        self.assertEqual(self.actions(), ["create", "start"])
        self.assert_status(self.ours("rm", name))
        self.assertEqual(self.actions()[2:], ["destroy"])

    def test_formats(self) -> None:
        name = self.stay("--label", "a=b\x1b[2J", sh="exit 5")
        self.end_of(name)
        id = self.described(name)["Id"]
        past = ("--since", "0", "--until", "0s")
        lines = self.assert_status(self.ours("events", *past)).out.splitlines()
        when = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z"
        attributes = re.escape(f"a=b\\x1b[2J, exitCode=5, image=host:latest, name={name}")
        self.assertRegex(lines[2], rf"\A{when} container die {id} \({attributes}\)\Z")
        template = "{{.Type}} {{.Status}} {{.ID}} {{.From}} {{.Actor.Attributes.name}} {{.Actor.Attributes.exitCode}}"
        result = self.assert_status(self.ours("events", *past, "--format", template))
        self.assertEqual(result.out.splitlines()[1:], [f"container {said} {id} host:latest {name} {code}" for said, code in (("start", "<no value>"), ("die", "5"))])
        self.assert_fails(self.ours("events", *past, "--format", "{{.Nothing}}"), 125, "{{.Nothing}}")

    def test_filters(self) -> None:
        one, two = self.stay("--label", "of=one", argv=["true"]), self.stay("--label", "of=two", argv=["true"])
        for name in (one, two):
            self.end_of(name)
        self.assert_status(self.inside(one, "true"), 125)
        for flags, count in (
            ((f"container={one}",), 3),
            ((f"container={self.described(two)['Id'][:12]}",), 3),
            (("event=die",), 2),
            (("event=die", "event=create"), 4),
            (("event=die", f"container={one}"), 1),
            (("label=of",), 6),
            (("label=of=two", "event=start"), 1),
            (("label=other",), 0),
            (("type=container",), 6),
            (("type=image",), 0),
            (("image=host:latest",), 6),
            (("event=exec_start",), 0),
        ):
            with self.subTest(flags):
                self.assertEqual(len(self.told(*(word for flag in flags for word in ("--filter", flag)))), count)

    def test_since_and_until(self) -> None:
        self.end_of(self.stay(argv=["true"]))
        first = self.told()
        middle = first[-1]["timeNano"] // 10**6 + 1
        wait_until(lambda: self.now_ms() > middle)
        self.end_of(self.stay(argv=["true"]))
        moment = f"{self.clock(middle // 1000)}.{middle % 1000:03}Z"
        after = self.ours("events", "--since", moment, "--until", "0s", "--format", "{{.Action}}")
        before = self.ours("events", "--since", "0", "--until", moment, "--format", "{{.Action}}")
        self.assert_prints("create\nstart\ndie", after)
        self.assert_prints("create\nstart\ndie", before)
        self.assert_prints("", self.ours("events", "--until", "0s"))

    def now_ms(self) -> int:
        """Return the time of day."""
        return int(self.assert_status(execute(["date", "+%s%3N"])).out)

    def clock(self, seconds: int) -> str:
        """Return it as RFC 3339 has it."""
        return execute(["date", "-u", "-d", f"@{seconds}", "+%Y-%m-%dT%H:%M:%S"]).out.strip()

    def test_wrong_words(self) -> None:
        for words, said in (
            (("--filter", "nothing=1"), "container="),
            (("--filter", "die"), "container="),
            (("--filter", "event=dies"), '"event=dies" can never be: event is one of create, start,'),
            (("--filter", "type=containr"), '"type=containr" can never be: type is one of container\n'),
            (("--since", "yesterday"), "yesterday"),
            (("--until", "x"), '"x"'),
            (("name",), "takes no name"),
            (("--no-such",), "--no-such"),
        ):
            with self.subTest(words):
                result = self.assert_status(self.ours("events", *words), 125)
                self.assertIn(said, result.err)
                self.assertEqual(result.out, "")

    def test_following(self) -> None:
        process = self.follower("--filter", "event=create", "--filter", "event=destroy")
        assert process.stdout
        for _ in range(3):
            name = self.stay("--rm", argv=["sleep", "1000"])
            self.assertEqual(process.stdout.readline(), "create\n")
            self.assert_status(self.ours("kill", name))
            self.assertEqual(process.stdout.readline(), "destroy\n")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(DEADLINE), -signal.SIGINT)

    def test_following_for_some_time(self) -> None:
        self.stay(argv=["true"])
        result = self.ours("events", "--since", "0", "--until", str(self.now_ms() // 1000 + 1), "--filter", "event=create", "--format", "{{.Action}}")
        self.assert_prints("create", result)

    def test_a_reader_that_leaves(self) -> None:
        process = self.follower()
        self.stay(argv=["true"])
        assert process.stdout
        process.stdout.readline()
        process.stdout.close()
        while process.poll() is None:
            self.assert_status(self.ours("create", "host", "true"))
        self.assertEqual(process.returncode, -signal.SIGPIPE)

    def test_only_its_user_reads_them(self) -> None:
        self.stay(argv=["true"])
        self.assertEqual(stat.S_IMODE(self.lines.stat().st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(self.lines.parent.stat().st_mode), 0o700)

    def test_what_is_too_long(self) -> None:
        name = self.stay(*(word for n in range(50) for word in ("--label", f"{n}={'x' * 100}")))
        self.assert_status(self.inside(name, "exit 0", "-e", "A=1"))
        self.assert_status(self.ours("exec", name, "true", "\u00e9" * 4000))
        self.assertEqual(self.actions(), ["create", "start", *2 * ["exec_create", "exec_start", "exec_die"]])
        self.assertNotIn("1", self.told()[0]["Actor"]["Attributes"])
        self.assertLess(max(map(len, self.lines.read_bytes().splitlines())), 4096)

    def test_a_detail_is_cut(self) -> None:
        name = self.stay()
        self.assert_status(self.ours("exec", name, "true", "x" * 4000))
        self.assertEqual(self.actions()[2], f"exec_create: true {'x' * 295}")

    def test_what_is_none_of_ours_is_passed_over(self) -> None:
        self.fill(1)
        with self.lines.open("ab") as lines:
            lines.write(b"\n[]\n{}\n\xff\xff\n{\"Action\": 5, \"timeNano\": {}}\n" + b"x" * 300_000 + b"\n")
        self.stay(argv=["true"])
        self.assertEqual([event.get("Action") for event in self.told("--filter", "event=create")], ["create"])

    def test_the_file_is_bounded(self) -> None:
        self.fill(FULL)
        process = self.follower("--filter", "event=create", "--filter", "event=die")
        assert process.stdout
        for _ in range(3):
            self.end_of(self.stay(argv=["true"]))
            self.assertEqual([process.stdout.readline() for _ in range(2)], ["create\n", "die\n"])
        old = self.lines.with_name("lines.old")
        self.assertGreaterEqual(old.stat().st_size, FULL)
        self.assertEqual(self.actions("--filter", "event=die"), 3 * ["die"])
        self.assertEqual(self.actions()[0], "other")  # of the old file
        self.lines.write_bytes(old.read_bytes())
        self.end_of(self.stay(argv=["true"]))
        self.assertEqual([process.stdout.readline() for _ in range(2)], ["create\n", "die\n"])
        self.assertEqual(self.actions("--filter", "event=die"), ["die"])

    def test_many_writers(self) -> None:
        """None of their lines is lost or mixed, although the file is exchanged meanwhile."""
        self.fill(FULL - 10_000)
        process = self.follower("--format", "{{.Action}} {{.ID}}", "--filter", "type=container")

        def lives(_: int) -> list[str]:
            ids = []
            for _ in range(10):
                ids.append(self.assert_status(self.ours("create", "host", "true")).out.strip())
                self.assert_status(self.ours("rm", ids[-1]))
            return ids

        ids = [id for some in parallel(lives, range(8), 8) for id in some]
        self.assertTrue(self.lines.with_name("lines.old").exists())
        wanted = {f"{action} {id}" for id in ids for action in ("create", "destroy")}
        assert process.stdout
        while wanted:
            wanted.discard(process.stdout.readline().strip())
        self.assertEqual(len(self.told("--filter", "event=create", "--filter", "event=destroy")), 160)

    def test_under_the_name_docker(self) -> None:
        (self.folder / "docker").symlink_to(os.path.realpath(GLOVEBOX))
        self.stay(argv=["true"])
        words = [self.folder / "docker", "events", "--since", "0", "--until", "0s", "-f", "event=start", "--format", "{{.Action}}"]
        self.assert_prints("start", execute(words, env=self.env))
