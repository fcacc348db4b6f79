"""Sessions that hibernate: frozen, and with their files on the disk for a session of a later day."""

import json
import os
import re
import subprocess
import time
from pathlib import Path

from support.messages import message
from support.run import GLOVEBOX, Result, execute, unique
from test_sessions import Speaker

SAYS = r"NAME hibernates, its [a-z ]+; (no swap on [a-z ]+: |\d+ MiB in swap, )\d+ MiB stay in memory\n"
MAKE = "import os; os.mkdir('d'); open('d/file', 'w').write('text'); os.symlink('/etc/passwd', 'link'); x = 41"
LOOK = "print(open('d/file').read(), os.readlink('link'))"


class Hibernating(Speaker):
    """hibernate, and session new --restore."""

    kernel = True
    as_user = True

    def setUp(self) -> None:
        """Start a supervisor of its own."""
        super().setUp()
        self.start_warm()

    def env(self) -> dict[str, str]:
        """Keep what is kept in the test's own folder."""
        return super().env() | {"XDG_STATE_HOME": str(self.folder / "state")}

    def hibernate(self, name: str) -> Result:
        """Have a session hibernate."""
        return execute([GLOVEBOX, "hibernate", name], env=self.env())

    def does_hibernate(self, name: str) -> None:
        """Have it hibernate, which is told."""
        result = self.assert_status(self.hibernate(name))
        self.assertRegex(result.out, rf"\A{SAYS.replace('NAME', re.escape(name))}\Z")
        self.assertEqual(result.err, "")
        self.assertIs(self.listed()[name]["frozen"], True)

    @property
    def kept(self) -> list[Path]:
        """What is kept."""
        return sorted(Path(self.folder / "state/glovebox/hibernated").glob("*"))

    def restore(self, name: str) -> Result:
        """Make a session of the name from the files that are kept."""
        return self.session("new", "--restore", "--name", name)

    def again(self) -> None:
        """Stop the supervisor with all that it has, and start another."""
        self.assert_status(self.warm("stop"))
        self.start_warm()

    def test_it_goes_on(self) -> None:
        name = self.new()
        self.does(name, MAKE)
        for _ in range(2):
            self.does_hibernate(name)
            self.does_hibernate(name)
            self.assertEqual(self.does(name, "x + 1"), "42")
        self.does_hibernate(name)
        self.assert_status(self.session("thaw", name))
        self.assertIs(self.listed()[name]["frozen"], False)

    def test_its_files_come_back(self) -> None:
        name = self.new()
        self.does(name, MAKE)
        self.does_hibernate(name)
        self.again()
        self.assertEqual(self.assert_status(self.restore(name)).out, f"{name}\n")
        self.assertEqual(self.does(name, f"import os; {LOOK}"), "text /etc/passwd")
        self.assertIn("NameError", self.session("exec", name, "x").err)
        self.assertEqual(len(self.kept), 1)  # it may be lost again

    def test_the_last_ones_count(self) -> None:
        name = self.new()
        self.does(name, MAKE)
        self.does_hibernate(name)
        self.does(name, "_ = open('d/file', 'w').write('more')")
        self.does_hibernate(name)
        self.again()
        self.assert_status(self.restore(name))
        self.assertEqual(self.does(name, "open('d/file').read()"), "'more'")

    def test_any_name(self) -> None:
        for name in ("a.new", "-".join("ab"), "x" * 63):
            with self.subTest(name):
                self.assert_status(self.session("new", "--name", name))
                self.does_hibernate(name)
                self.assertRegex(self.kept[-1].name, r"\A[0-9a-f]+\Z")
                self.assert_status(self.session("rm", name))
                self.assertEqual(self.kept, [])

    def test_rm_forgets_it(self) -> None:
        name = self.new()
        self.does_hibernate(name)
        self.again()
        self.assert_status(self.session("rm", name))
        self.assertEqual(self.kept, [])
        self.assert_refused(self.restore(name), f"no session {name} has hibernated")

    def test_what_cannot_be_restored(self) -> None:
        self.assert_refused(self.session("new", "--restore"), "--restore needs --name")
        self.assert_refused(self.restore(unique("never")), "has hibernated")
        name = self.new()
        self.does(name, MAKE)
        self.does_hibernate(name)
        self.again()
        whole = self.kept[0].read_bytes()
        self.kept[0].write_bytes(whole[:700])
        self.assertNotEqual(self.restore(name).status, 0)
        self.assertNotIn(name, self.listed())
        self.kept[0].write_bytes(whole)
        self.assert_status(self.restore(name))

    def test_what_cannot_be_kept(self) -> None:
        """What was kept stays, and the session goes on."""
        name = self.new()
        self.does(name, MAKE)
        self.does_hibernate(name)
        before = self.kept[0].read_bytes()
        obstacle = Path(f"{self.kept[0]}.new")
        obstacle.mkdir()
        self.assert_refused(self.hibernate(name), "cannot be kept")
        self.assertEqual(self.does(name, "x"), "41")
        obstacle.rmdir()
        self.assertEqual(self.kept[0].read_bytes(), before)

    def test_its_client_is_killed(self) -> None:
        """Whenever that is: the session goes on, and what was kept is whole."""
        name = self.new()
        self.does(name, MAKE + "\nwith open('large', 'wb') as file:\n    file.write(os.urandom(16 << 20))")
        self.does_hibernate(name)
        for pause in (0.001, 0.005, 0.01, 0.02, 0.04):
            with subprocess.Popen([GLOVEBOX, "hibernate", name], env=os.environ | self.env(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as client:
                time.sleep(pause)
                client.kill()
            self.assertEqual(self.does(name, "x"), "41")
        self.again()
        self.assert_status(self.restore(name))
        self.assertEqual(self.does(name, "import os; os.path.getsize('large') >> 20"), "16")

    def ours(self, *words: str, docker: bool = False) -> Result:
        """Run a command of glovebox's."""
        return execute([Path(GLOVEBOX).with_name("docker") if docker else GLOVEBOX, *words], env=self.env())

    def test_the_words_of_sandboxes_let_it_go_on(self) -> None:
        name = self.new()
        for word in ("start", "unpause"):
            self.does_hibernate(name)
            result = self.ours(word, name, docker=True)
            self.assert_status(result, 1)
            self.assertRegex(result.err, message("named_explain_docker", name, name))
            self.assert_prints(name, self.ours(word, name))
            self.assertIs(self.listed()[name]["frozen"], False)
            self.assert_prints(name, self.ours(word, name))  # as docker start is content
        self.does_hibernate(name)
        self.again()
        self.assertRegex(self.assert_status(self.ours("start", name), 1).err, message("named_explain#restore", name, name))

    def hibernated(self) -> list[str]:
        """The names whose files are kept and that no session has."""
        return [one["name"] for one in json.loads(self.assert_status(self.session("ls", "--json")).out)["hibernated"]]

    def test_it_is_listed(self) -> None:
        name = self.new()
        self.does(name, MAKE)
        self.does_hibernate(name)
        self.assertEqual(self.hibernated(), [])  # it lives, frozen
        self.assert_status(self.warm("stop"))
        for begin in (lambda: None, self.start_warm):  # without a supervisor, too
            begin()
            self.assertEqual(self.hibernated(), [name])
            self.assertRegex(self.assert_status(self.session("ls")).out, rf"(?m)^{name} +hibernated +\d+[smh]$")
        result = self.assert_status(self.session("new", "--name", name))
        self.assertRegex(result.err, message("session_tell_kept", name))
        self.assertEqual(self.hibernated(), [])
        self.assert_status(self.session("rm", name))
        self.assertEqual(self.assert_status(self.session("new", "--name", name)).err, "")

    def test_what_removes_its_files(self) -> None:
        """rm does, by either name; stop and kill keep them."""
        for words, kept in ((("stop",), 1), (("kill",), 1), (("rm",), 0), (("rm", "-f"), 0), (("session", "rm"), 0)):
            for lives in (True, False):
                with self.subTest(words=words, lives=lives):
                    name = self.new()
                    self.does_hibernate(name)
                    if not lives:
                        self.again()
                    result = self.ours(*words, name)
                    self.assertEqual(result.status == 0, lives or not kept, result.err)
                    self.assertEqual((len(self.kept), name in self.listed()), (kept, False))
                    self.assert_status(self.session("rm", name), 0 if kept else 125)
