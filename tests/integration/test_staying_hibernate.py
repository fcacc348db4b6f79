"""hibernate: sandboxes that stay stand still for long, with their root on the disk and their memory in swap."""

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

from integration.staying import Staying
from integration.staying_root import Root
from support.run import GLOVEBOX
from support.small_image import why_not_again
from support.swap import need_swap
from support.times import wait_until

COUNTS = "i=0; while :; do i=$((i+1)); echo $i; sleep 0.01; done"
SAYS = r"; (no swap on [a-z ]+: |\d+ MiB in swap, )\d+ MiB stay in memory\n"
LARGE = "import os\nwith open('/opt/large', 'wb') as file:\n    file.write(os.urandom(48 << 20))"


class Hibernating(Staying):
    """What both kinds of roots have."""

    def hibernate(self, name: str, more: str = "") -> None:
        """Have it hibernate, if this machine can."""
        result = self.ours("hibernate", name)
        if "freez" in result.err:
            self.skipTest("cannot: no control group that freezes here")
        self.assert_status(result)
        self.assertRegex(result.out, rf"\A{name} hibernates{more}{SAYS}\Z")

    def lose(self, name: str) -> None:
        """Kill its monitor, as a crash of the machine does."""
        os.kill(self.state(name)["Pid"], signal.SIGKILL)
        wait_until(lambda: self.field(name, "State.Status") == "dead")


class Standing(Hibernating):
    """Nothing happens in what hibernates, until it goes on."""

    kernel = True
    as_user = True

    def lines(self, name: str) -> int:
        """How much it has printed."""
        return len(self.ours("logs", name).out.splitlines())

    def stands_still(self, name: str) -> bool:
        """Whether it prints nothing for a while."""
        count = self.lines(name)
        time.sleep(0.1)
        return self.lines(name) == count

    def test_it_goes_on(self) -> None:
        name = self.stay(sh=COUNTS)
        for word in ("start", "unpause"):
            count = self.lines(name)
            wait_until(lambda count=count: self.lines(name) > count + 3)
            self.hibernate(name)
            self.hibernate(name)
            self.assertTrue(wait_until(lambda: self.stands_still(name)))
            count = self.lines(name)
            self.assert_status(self.ours(word, name))
            wait_until(lambda count=count: self.lines(name) > count)
        self.assert_status(self.ours("start", name))
        self.assertIn("not paused", self.ours("unpause", name).err)

    def test_nothing_is_started_in_it(self) -> None:
        name = self.stay()
        self.hibernate(name)
        self.assert_fails(self.ours("exec", name, "true"), 125, "unpause it first")
        self.assert_fails(self.ours("cp", f"{name}:/etc/passwd", "-"), 125, "unpause it first")
        self.assert_fails(self.ours("pause", name), 125, "paused already")

    def test_what_is_told_of_it(self) -> None:
        name = self.stay()
        self.assertEqual(self.state(name)["HibernatedAt"][:5], "0001-")
        self.assertIs(self.state(name)["Hibernated"], False)
        self.hibernate(name)
        state = self.state(name)
        self.assertEqual((state["Status"], state["Paused"], state["Running"], state["Hibernated"]), ("paused", True, True, True))
        self.assertRegex(state["HibernatedAt"], r"\A20\d\d-")
        [listed] = [row for row in json.loads(self.ours("ps", "--json").out)["running"] if row["name"] == name]
        self.assertEqual(listed["state"], "hibernated")
        self.assertIn("(Hibernated)", self.ours("ps", "--format", "{{.Names}} {{.Status}}").out)
        self.assert_status(self.ours("unpause", name))
        told = self.ours("events", "--since", "0", "--until", "0s", "--format", "{{.Action}}").out.split()
        self.assertEqual(told, ["create", "start", "hibernate", "unpause"])
        self.assertEqual(self.state(name)["HibernatedAt"], state["HibernatedAt"])

    def test_one_that_is_paused(self) -> None:
        name = self.stay()
        if self.ours("pause", name).status:
            self.skipTest("cannot: no control group that freezes here")
        self.hibernate(name)
        self.assertIs(self.state(name)["Hibernated"], True)

    def test_it_ends(self) -> None:
        for words in (("stop", "--time", "0"), ("kill",), ("rm", "-f")):
            with self.subTest(words):
                name = self.stay()
                self.hibernate(name)
                self.assert_status(self.ours(*words, name))

    def test_it_is_not_idle(self) -> None:
        name = self.stay()
        self.hibernate(name)
        self.assert_status(self.ours("update", "--idle-timeout=10ms", name))
        time.sleep(0.1)
        self.assertIs(self.state(name)["Hibernated"], True)
        self.assert_status(self.ours("start", name))
        wait_until(lambda: self.field(name, "State.Status") == "exited")
        self.assertEqual(self.described(name)["Result"]["verdict"], "idle")

    def test_its_time_goes_on(self) -> None:
        name = self.stay(argv=["sleep", "1000"])
        self.hibernate(name)
        self.assert_status(self.ours("update", "--timeout=1s", name))
        self.assertEqual(self.end_of(name), "124")

    def test_names(self) -> None:
        self.assert_fails(self.ours("hibernate"), 125, "a name is needed")
        self.assert_fails(self.ours("hibernate", "nobody"), 125, "No such container: nobody")
        name = self.stay(sh="exit 0")
        self.end_of(name)
        self.assert_fails(self.ours("hibernate", name), 125, "is not running")


class Kept(Hibernating, Root):
    """The root of what hibernates is on the disk."""

    KEPT = ", its root is kept"

    def made(self, name: str) -> list[str]:
        """The files that a test has made."""
        return sorted(self.py(name, "import os; print(*os.listdir('/opt'))").split())

    def make(self, name: str, word: str) -> None:
        """Make one."""
        self.py(name, f"open('/opt/{word}', 'w').close()")

    def test_it_is_the_root_after_a_crash(self) -> None:
        if why := why_not_again():
            self.skipTest(why)
        name = self.box()
        self.make(name, "before")
        self.hibernate(name, self.KEPT)
        self.lose(name)
        self.assertRegex(self.state(name)["HibernatedAt"], r"\A20\d\d-")
        self.assert_status(self.ours("start", name))
        self.assertEqual(self.made(name), ["before"])
        self.hibernate(name, self.KEPT)
        self.assert_status(self.ours("unpause", name))
        self.make(name, "behind")
        self.lose(name)
        self.assert_status(self.ours("start", name))
        self.assertEqual(self.made(name), ["before"])
        self.make(name, "more")
        self.again(name)
        self.assertEqual(self.made(name), ["before", "more"])

    def test_it_is_kept_at_its_end(self) -> None:
        if why := why_not_again():
            self.skipTest(why)
        name = self.box()
        self.hibernate(name, self.KEPT)
        self.assert_status(self.ours("start", name))
        self.make(name, "behind")
        self.hibernate(name, self.KEPT)
        self.again(name)
        self.assertEqual(self.made(name), ["behind"])

    def test_one_that_cannot_be_kept_goes_on(self) -> None:
        if why := why_not_again():
            self.skipTest(why)
        name = self.box()
        self.make(name, "before")
        self.again(name)
        before = self.layer.read_bytes()
        obstacle = Path(f"{self.layer}.new")
        obstacle.mkdir()
        self.assert_fails(self.ours("hibernate", name), 125, "cannot be kept")
        self.assertEqual(self.field(name, "State.Status"), "running")
        self.make(name, "behind")
        self.assertEqual(self.layer.read_bytes(), before)
        obstacle.rmdir()
        self.hibernate(name, self.KEPT)
        self.assertNotEqual(self.layer.read_bytes(), before)

    def test_killed_in_the_middle(self) -> None:
        """Whatever is killed while the file is written: the next start has the old one or the new one."""
        if why := why_not_again():
            self.skipTest(why)
        name = self.box("--memory", "512m", "--writable=128m")
        self.make(name, "before")
        self.again(name)
        begun = Path(f"{self.layer}.new")
        for killed in ("monitor", "client", "sandbox"):
            with self.subTest(killed):
                monitor = self.state(name)["Pid"]
                self.py(name, LARGE)
                with subprocess.Popen([GLOVEBOX, "hibernate", name], env=os.environ | self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as client:
                    wait_until(lambda client=client: begun.exists() or client.poll() is not None)
                    if killed == "monitor":
                        os.kill(monitor, signal.SIGKILL)
                    elif killed == "client":
                        client.kill()
                    else:
                        self.assert_status(self.ours("kill", name))
                if killed == "client":
                    wait_until(lambda: self.state(name)["Hibernated"])
                else:
                    wait_until(lambda: self.field(name, "State.Status") in {"dead", "exited"})
                self.assert_status(self.ours("start", name))
                self.assertIn(self.made(name), [["before"], ["before", "large"]])
                self.assertFalse(begun.exists())


class Swapping(Hibernating):
    """Memory goes to swap, where the machine has some."""

    kernel = True
    alone = True

    def test_it_goes_out_and_comes_back(self) -> None:
        need_swap(self)
        name = self.stay(argv=["python3", "-c", "b = bytes(range(256)) * (64 << 12)\nimport time\ntime.sleep(0.1)\nprint('made', flush=True)\ntime.sleep(1000)"])
        wait_until(lambda: self.ours("logs", name).out)
        said = self.assert_status(self.ours("hibernate", name)).out
        found = re.search(r"(\d+) MiB in swap", said)
        self.assertTrue(found and int(found[1]) >= 60, said)
        self.assert_status(self.ours("start", name))
        self.assert_status(self.ours("exec", name, "true"))
