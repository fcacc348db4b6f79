"""`session exec` for people: lines as they come, figures as files, hints instead of a silent wait."""

import os
import signal
import subprocess
import time

from support.messages import message, sentence
from support.run import GLOVEBOX, IS_ROOT, Result, execute
from support.terminal import Terminal
from test_repl import PYPLOT
from test_sessions import Sessions


class Exec(Sessions, Terminal):
    """One call, at a terminal and elsewhere."""

    as_user = ("test_figures_are_saved_where_they_are_wanted",)

    def setUp(self) -> None:
        super().setUp()
        self.name = self.new()

    def at_terminal(self, *words: str) -> "subprocess.Popen[bytes]":
        """Start `session` at a terminal."""
        return self.begin_at_terminal([GLOVEBOX, "session", *words], self.env())

    def test_lines_come_one_by_one_at_a_terminal(self) -> None:
        process = self.at_terminal("exec", self.name, "import time; print('first'); time.sleep(1000)")
        self.expect("first\r\n")
        self.type("\x03")
        self.ends(process, 130)

    def test_directory_in_memory_that_is_full_is_named(self) -> None:
        """Behind the traceback, whatever a library made of ENOSPC; and no more, once there is room."""
        name = self.new("-m", "96m")
        fill = "f = open('/tmp/a', 'wb', buffering=0)\ntry:\n  while f.write(b'x' * 65536): pass\nexcept OSError: raise ValueError('IO_WRITE') from None"
        said = self.session("exec", name, fill)
        self.assertEqual(said.status, 1, said)
        self.assertIn("ValueError: IO_WRITE\n[SPACE] /tmp is full (48m): ", said.err)
        self.assert_status(self.session("exec", name, "import os; os.unlink('/tmp/a'); f.close()"))
        self.assertNotIn("[SPACE]", self.session("exec", name, "1 / 0").err)
        run = self.run_warm("--json", py="f = open('/tmp/a', 'wb', buffering=0)\nwhile f.write(b'x' * 65536): pass")
        self.assertEqual(run.json["full"], ["/tmp"])

    def test_what_is_not_here_is_named(self) -> None:
        said = self.session("exec", self.name, "import urllib.request\nurllib.request.urlopen('http://198.51.100.7')")
        self.assertRegex(said.err, r"URLError: .*\n\[NETWORK\] .*--egress HOST.*\n\Z")
        run = self.run_warm("--json", py="import socket; socket.create_connection(('198.51.100.7', 80))")
        self.assertTrue(run.json["no_network"])
        said = self.session("exec", self.name, "import nosuchmodule")
        self.assertRegex(said.err, r"'nosuchmodule'\n\[PACKAGES\] nosuchmodule .*--pip NAME.*\n\Z")

    def test_interrupt_where_nobody_reads_keeps_the_session(self) -> None:
        """What was printed waits for its reader; the code does not."""
        code = "print('ready')\ntry:\n  while True: print('x' * 1000)\nfinally: open('ended', 'w').close()"
        process = self.at_terminal("exec", self.name, code)
        self.expect("ready")
        time.sleep(0.5)  # so that it is full, mostly
        process.send_signal(signal.SIGINT)
        time.sleep(3)  # longer than code has that was interrupted
        self.ends(process, 130)
        self.assertIn("ended", self.does(self.name, "import os; os.listdir()"))

    def test_foreign_streams_are_left_alone(self) -> None:
        code = "import io, sys; sys.stdout = io.StringIO(); print(1)"
        self.ends(self.at_terminal("exec", self.name, code))
        self.ends(self.at_terminal("exec", self.name, "sys.stdout = sys.__stdout__; sys.stdout.close()"))
        self.ends(self.at_terminal("exec", self.name, "7"))
        self.assertIn(b"7", self.seen)

    def test_reading_from_the_terminal_is_said(self) -> None:
        process = self.at_terminal("exec", self.name)
        self.expect(f"{sentence('session_exec_read_source#terminal').strip()}\r\n")
        self.type("print(6 * 7)\n\x04")
        self.expect("42\r\n")
        self.ends(process)
        said = self.assert_status(self.session("exec", self.name, stdin=b"print(7)"))
        self.assertEqual((said.out, said.err), ("7\n", ""))

    def test_figures_are_saved_where_they_are_wanted(self) -> None:
        target = self.folder / "new/figures"
        self.does(self.name, PYPLOT)
        said = self.call(self.name, "print('text')", "--figures", str(target), "--formats", "png,pdf")
        self.assert_prints("text\nfigure-1.png", said)  # what it drew as PDF does not begin as one
        self.assertTrue((target / "figure-1.png").read_bytes().endswith(b"png"))
        self.does(self.name, "opened.append(1)")
        self.assert_prints("figure-2.png", self.call(self.name, "1;", "--figures", str(target)))
        self.assert_prints("[]", self.call(self.name, "opened"))
        self.assertEqual(sorted(os.listdir(target)), ["figure-1.png", "figure-2.png"])

    def test_figures_that_stay_open_are_mentioned_at_a_terminal(self) -> None:
        self.assertEqual(self.assert_status(self.call(self.name, PYPLOT)).err, "")
        process = self.at_terminal("exec", self.name, "pyplot.get_fignums()")
        self.expect(f"[1]\r\n{sentence('session_exec_hint_at_figures').strip()}\r\n")
        self.ends(process)

    def test_figures_and_json_exclude_each_other(self) -> None:
        refused = self.call(self.name, "1", "--json", "--figures", str(self.folder))
        self.assert_refused(refused, message("session_exec_read_flags#--figures", "--figures", "--json"))

    def test_flags_behind_the_name_are_named_as_the_cause(self) -> None:
        for words in (["--file", "x.py"], ["--json", "1"], ["--json"], ["--timeout=5s", "1"]):
            with self.subTest(words=words):
                self.assert_refused(self.session("exec", self.name, *words), message("session_exec_read_flags#flags"), words[0])
        self.assert_prints("-1", self.session("exec", self.name, "-1"))
        self.assert_prints("1", self.session("exec", self.name, "--1"))

    def test_json_is_spaced_in_one_way(self) -> None:
        said = self.call(self.name, "{'a': [1, 2]}", "--json")
        self.assertNotRegex(said.out, r'": |, "')


class Get(Sessions):
    """A file that is brought out replaces an old one, or leaves it as it is."""

    as_user = True

    def setUp(self) -> None:
        super().setUp()
        self.name = self.new()
        self.does(self.name, "_ = open('big', 'wb').write(b'x' * 200_000)")
        self.old = self.file("old", b"as it was")

    def get(self) -> Result:
        """Bring it to `old`."""
        return self.session("get", self.name, "big", self.old)

    def test_full_disk_leaves_the_old_file(self) -> None:
        if not IS_ROOT:
            self.skipTest("cannot: only root mounts a small disk")
        shell = (
            'mount -t tmpfs -o size=64k none "$0" && cd "$0" && printf "as it was" > old && '
            '{ "$@" get "$N" big old; echo $?; ls -A; cat old; }'
        )
        env = {**self.env(), "N": self.name}
        command = ["unshare", "--mount", "sh", "-c", shell, str(self.folder), GLOVEBOX, "session"]
        said = execute(command, env=env)
        self.assertEqual(said.out, "125\nold\nas it was")
        self.assertIn("No space left", said.err)

    def test_mode_stays_and_nothing_is_left_beside(self) -> None:
        self.old.chmod(0o640)
        self.assert_status(self.get())
        self.assertEqual((self.old.stat().st_size, self.old.stat().st_mode & 0o777), (200_000, 0o640))
        self.assertEqual([p.name for p in self.folder.iterdir()], ["old"])

    def test_links_and_files_of_two_names_are_written_in_place(self) -> None:
        other = self.folder / "other"
        os.link(self.old, other)
        self.assert_status(self.get())
        self.assertEqual(other.stat().st_size, 200_000)
        other.unlink()
        self.old.rename(other)
        self.old.symlink_to("other")
        other.write_bytes(b"")
        self.assert_status(self.get())
        self.assertTrue(self.old.is_symlink())
        self.assertEqual(other.stat().st_size, 200_000)

    def test_read_only_file_is_not_replaced(self) -> None:
        if IS_ROOT:
            self.skipTest("cannot: root may write to every file")
        self.old.chmod(0o444)
        self.assert_refused(self.get(), "Permission denied")
        self.assertEqual(self.old.read_bytes(), b"as it was")
