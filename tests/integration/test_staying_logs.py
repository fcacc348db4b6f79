"""logs: what the program of a sandbox that stays has printed."""

import os
import re
import signal
import subprocess
import time

from staying import Staying
from support.run import GLOVEBOX
from support.times import DEADLINE, wait_until

TEN = "for i in 0 1 2 3 4 5 6 7 8 9; do echo $i; done"
BYTES = bytes(range(256)) * 3
STAMP = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z"


class Logs(Staying):
    """The command logs."""

    as_user = True

    def ended(self, script: str, *flags: str) -> str:
        """Leave a shell script to its end."""
        name = self.stay(*flags, sh=script)
        self.end_of(name)
        return name

    def lines(self, name: str, *flags: str) -> list[str]:
        """Return the lines of stdout that logs prints."""
        return self.assert_status(self.ours("logs", *flags, name)).out.splitlines()

    def follow(self, name: str, *flags: str) -> "subprocess.Popen[bytes]":
        """Start logs -f."""
        line = [GLOVEBOX, "logs", "-f", *flags, name]
        return self.start(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ, **self.env))

    def test_streams_are_separate(self) -> None:
        name = self.ended("echo a; echo b >&2; echo c; printf d >&2")
        result = self.assert_status(self.ours("logs", name))
        self.assertEqual((result.stdout, result.stderr), (b"a\nc\n", b"b\nd"))

    def test_their_order(self) -> None:
        """Where the pipes are read between the lines."""
        name = self.stay("-i", sh="for i in 1 2 3; do echo $i; while ! test -e /tmp/$i; do sleep 0.01; done; echo $i >&2; read x </tmp/${i}f; done; exec sleep 1000")
        for i in "123":
            self.assertTrue(wait_until(lambda i=i: i in self.ours("logs", name).out))
            self.assert_status(self.inside(name, f"mkfifo /tmp/{i}f; touch /tmp/{i}"))
            self.assertTrue(wait_until(lambda i=i: i in self.ours("logs", name).err))
            self.assert_status(self.inside(name, f"echo >/tmp/{i}f"))
        both = self.ours("logs", name)
        self.assertEqual((both.out, both.err), ("1\n2\n3\n",) * 2)
        joined = subprocess.run([GLOVEBOX, "logs", name], env=dict(os.environ, **self.env), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True)
        self.assertEqual(joined.stdout, b"1\n1\n2\n2\n3\n3\n")

    def test_bytes(self) -> None:
        text = repr(BYTES)
        name = self.stay(py=f"import sys; sys.stdout.buffer.write({text}); sys.stderr.buffer.write({text})")
        self.end_of(name)
        result = self.assert_status(self.ours("logs", name))
        self.assertEqual((result.stdout, result.stderr), (BYTES, BYTES))

    def test_times(self) -> None:
        name = self.ended("echo a; echo b >&2; printf c; sleep 0.05; echo d")
        result = self.assert_status(self.ours("logs", "-t", name))
        self.assertRegex(result.out, rf"\A{STAMP} a\n{STAMP} cd\n\Z")
        self.assertRegex(result.err, rf"\A{STAMP} b\n\Z")

    def test_tail(self) -> None:
        name = self.ended(f"{TEN}; printf end")
        every = [*"0123456789", "end"]
        for flag, wanted in (("0", 0), ("1", 1), ("3", 3), ("11", 11), ("100", 11), ("all", 11), ("-1", 11)):
            self.assertEqual(self.lines(name, f"--tail={flag}"), every[11 - wanted :], flag)
        self.assertEqual(self.lines(name, "-n", "2"), every[-2:])
        self.assertEqual(self.lines(name, "-n", "0"), [])

    def test_since_and_until(self) -> None:
        """By the times that it says itself."""
        name = self.ended("for i in 1 2 3; do echo $i; sleep 0.05; done")
        stamps = [line.split()[0] for line in self.lines(name, "-t")]
        self.assertEqual(self.lines(name, "--since", stamps[0][:19] + "Z")[0], "1")
        self.assertEqual(self.lines(name, "--since", "2099-01-01"), [])
        self.assertEqual(self.lines(name, "--since", "2099-01-01T00:00:00Z"), [])
        self.assertEqual(self.lines(name, "--until", "2099-01-01"), ["1", "2", "3"])
        self.assertEqual(self.lines(name, "--until", "1h"), [])
        self.assertEqual(self.lines(name, "--since", "1h"), ["1", "2", "3"])
        self.assertEqual(self.lines(name, "--since", str(int(time.time()) + 1000)), [])
        self.assertEqual(self.lines(name, "--since", f"{time.time() + 1000:.6f}"), [])
        self.assertEqual(self.lines(name, "--since", "1.5", "--until", f"{time.time() + 1000:.9f}"), ["1", "2", "3"])
        self.assertEqual(self.lines(name, "--since", "0", "--tail", "1"), ["3"])
        self.assert_fails(self.ours("logs", "--since", "soon", name), 125, "soon")

    def test_since_has_fractions(self) -> None:
        name = self.ended("for i in 1 2 3; do echo $i; sleep 0.05; done")
        stamps = [line.split()[0] for line in self.lines(name, "-t")]
        self.assertEqual(self.lines(name, "--since", stamps[1]), ["2", "3"])
        self.assertEqual(self.lines(name, "--until", stamps[1]), ["1"])

    def test_following_to_the_end(self) -> None:
        name = self.stay("-w", "/tmp", sh=f"{TEN}; while ! test -e go; do sleep 0.01; done; {TEN}; exit 3")
        self.assertTrue(wait_until(lambda: "9\n" in self.ours("logs", name).out))
        process = self.follow(name, "--tail", "1")
        assert process.stdout
        self.assertEqual(process.stdout.readline() or b"", b"9\n")
        self.assertIsNone(process.poll())
        self.inside(name, "touch go")  # the sandbox may end before it does
        self.assertEqual(process.stdout.read(), b"".join(b"%d\n" % i for i in range(10)))
        self.assertEqual(process.wait(DEADLINE), 0)

    def test_following_what_has_ended(self) -> None:
        name = self.ended(TEN)
        self.assertEqual(self.lines(name, "-f"), list("0123456789"))
        self.assertEqual(self.lines(name, "-f", "--tail=2"), ["8", "9"])

    def test_following_much(self) -> None:
        """All of it, across files that are replaced."""
        count = 20000
        script = f"while ! test -e /tmp/go; do sleep 0.01; done; seq {count}; seq {count} >&2"
        name = self.stay("--output-limit", "1g", sh=script)
        process = self.follow(name)
        self.inside(name, "touch /tmp/go")  # the sandbox may end before it does
        out, err = process.communicate(timeout=DEADLINE)
        wanted = "".join(f"{i}\n" for i in range(1, count + 1)).encode()
        self.assertEqual((out == wanted, err == wanted), (True, True))

    def test_a_reader_that_leaves(self) -> None:
        name = self.stay(sh="while :; do echo x; sleep 0.01; done")
        process = self.follow(name)
        assert process.stdout
        process.stdout.readline()
        process.stdout.close()
        self.assertIn(process.wait(DEADLINE), (-signal.SIGPIPE, 141))
        self.assertEqual(self.field(name, "State.Running"), "true")

    def test_the_newest_is_kept(self) -> None:
        name = self.ended("seq 100000", "--output-limit", "64k")
        lines = self.lines(name)
        self.assertEqual(lines[-1], "100000")
        self.assertEqual(self.lines(name, "--tail", "3"), ["99998", "99999", "100000"])
        self.assertEqual(lines[1:], [str(n) for n in range(100002 - len(lines), 100001)])
        [record] = self.records
        size = sum((record / file).stat().st_size for file in ("log", "log.old"))
        self.assertLessEqual(size, 64 << 10)
        self.assertGreater(size, 20 << 10)

    def test_a_program_is_not_slowed_by_a_log_that_nobody_reads(self) -> None:
        name = self.ended("head -c 50000000 /dev/zero; echo end >&2", "--output-limit", "64k")
        self.assertEqual(self.ours("logs", name).err, "end\n")

    def test_by_id_and_for_none(self) -> None:
        name = self.ended("echo x")
        self.assert_prints("x", self.ours("logs", self.described(name)["Id"][:12]))
        self.assert_fails(self.ours("logs", "nowhere"), 125, "No such container: nowhere")
        self.assert_status(self.ours("logs"), 125)
        self.assert_status(self.ours("logs", name, name), 125)

    def test_a_terminal_s(self) -> None:
        name = self.ended("echo out; echo err >&2", "-t")
        result = self.assert_status(self.ours("logs", name))
        self.assertEqual((result.stdout, result.stderr), (b"out\r\nerr\r\n", b""))
        self.assertEqual(len(re.findall(STAMP, self.ours("logs", "-t", name).out)), 2)
