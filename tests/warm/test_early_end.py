"""A run in a cell is over when nothing of it runs any more, not when its memory is gone.

Its last process, which keeps the memory of an interpreter (memory_holder.h), and its control group
outlive the verdict. So these tests look for what could go wrong with that: something that still runs,
a cost that nobody counts, and remains.
"""

import json
import os
import subprocess
import time
import unittest
from select import select

from support.processes import groups
from support.times import wait_until
from support.warm import Warm

FAREWELL = 10  # seconds that an ending supervisor gives what does not end (sandbox/endings.c)
STRANGER = 45678  # no user of this machine
# Memory that Python does not free: the kernel takes some 30 ms to unmap it.
LARGE = """
import ctypes
data = bytearray(b"x") * (200 << 20)
ctypes.pythonapi.Py_IncRef(ctypes.py_object(data))
"""
# A child that nobody waits for, and that pid 1 inherits: it appends to a file for ever.
ORPHAN = """
import os
ready, tell = os.pipe()
if not os.fork():
    if not os.fork():
        os.setsid()
        with open("/d/beats", "ab", 0) as file:
            file.write(b".")
            os.write(tell, b".")
            {act}
            while True:
                file.write(b".")
    os._exit(0)
os.wait()
os.read(ready, 1)
"""


class EarlyEnd(Warm):
    """Runs in the image `host`, and what they leave behind."""

    # Those that mount nothing, as the throw-away machine has no id-mapped mounts, and look at no clock.
    kernel = (
        "test_nothing_stays",
        "test_few_processes_are_enough",
        "test_no_process_is_refused_for_it",
    )
    as_user = (
        "test_verdict_does_not_wait_for_the_memory",
        "test_stop_after_a_run_leaves_no_group",
        "test_orphan",
        "test_files_of_an_orphan",
        "test_memory_at_its_limit",
    )

    def setUp(self) -> None:
        """Start a supervisor, and make a directory that programs may write to."""
        super().setUp()
        self.supervisor = self.start_warm()
        self.data = self.folder / "data"
        self.data.mkdir()
        self.data.chmod(0o777)
        if os.geteuid() == 0:
            os.chown(self.data, STRANGER, STRANGER)  # root's cannot be mounted everywhere

    def run_orphan(self, act: str = "pass", then: str = "", *flags: str) -> str:
        """Run a program that leaves an orphan; return what it prints. It must be silent from then on."""
        said = self.run_warm(*flags, "-v", f"{self.data}:/d", py=ORPHAN.format(act=act) + then)
        size = (self.data / "beats").stat().st_size
        self.assert_status(said)
        time.sleep(0.1)
        self.assertEqual((self.data / "beats").stat().st_size, size, "it writes after the verdict")
        return said.out

    # -- what the verdict comes before

    def test_verdict_does_not_wait_for_the_memory(self) -> None:
        def is_early() -> bool:
            # Of the cells that wait, one is taken. To look for its group afterwards takes longer than the
            # memory does, on an emulated CPU.
            waiting = list(groups(self.supervisor))
            done = self.run_warm(py=LARGE)
            is_early = any(self.is_in_use(group) for group in waiting)
            self.assert_status(done)
            return is_early

        self.assertTrue(wait_until(is_early), "each run waits until its memory is gone")

    def is_in_use(self, group: str) -> bool:
        """Tell whether a group has the processes of an ended run: not those of a waiting cell."""
        try:
            with open(f"{group}/cgroup.procs", encoding="ascii") as file:
                found = [int(line) for line in file]
            return any(self.flags(pid) & 4 for pid in found)  # PF_EXITING
        except OSError:
            return False

    @staticmethod
    def flags(pid: int) -> int:
        """Return what the kernel calls a process's flags."""
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return int(file.read().rpartition(")")[2].split()[6])

    def test_nothing_stays(self) -> None:
        for _ in range(3):
            self.assert_status(self.run_warm(py=LARGE))
        self.settled()
        waiting = self.status()["pool"]
        folders = wait_until(lambda: len({g.rpartition("/")[2] for g in groups(self.supervisor)}) == waiting)
        self.assertTrue(folders, groups(self.supervisor))
        self.assertTrue(wait_until(lambda: not self.status()["running"]))

    def test_stop_after_a_run_leaves_no_group(self) -> None:
        self.assert_status(self.run_warm(py=LARGE))
        self.assert_status(self.warm("stop"))
        self.assertEqual(groups(self.supervisor), [])

    def test_stop_does_not_wait_for_who_reads_the_output(self) -> None:
        argv = [self.program, "run", "--warm=require", "host", "python3", "-c", "print('x' * 100000)"]
        client = subprocess.Popen(argv, stdout=subprocess.PIPE, env=os.environ | self.env())
        self.addCleanup(client.wait)
        self.addCleanup(client.kill)
        ended = lambda: self.status()["running"] == 0 and select([client.stdout], [], [], 0)[0]  # noqa: E731
        self.assertTrue(wait_until(ended))
        begun = time.monotonic()
        self.assert_status(self.warm("stop"))
        self.assertLess(time.monotonic() - begun, FAREWELL)
        self.assertEqual(len(client.communicate()[0]), 100001)
        self.assertEqual(client.returncode, 0)
        self.assertEqual(groups(self.supervisor), [])

    # -- what must not run any more

    def test_orphan(self) -> None:
        self.run_orphan()

    def test_orphan_that_stops_whoever_keeps_the_memory(self) -> None:
        stopping = "import signal\n            os.fork() or [0 for _ in iter(lambda: stop(), 1)]"
        act = f"stop = lambda: os.kill(-1, signal.SIGSTOP)\n            {stopping}"
        said = self.run_warm("-v", f"{self.data}:/d", "--timeout=5s", py=ORPHAN.format(act=act))
        self.assertIn(said.status, (0, 124))  # the program itself may be stopped first
        size = (self.data / "beats").stat().st_size
        time.sleep(0.1)
        self.assertEqual((self.data / "beats").stat().st_size, size)

    def test_orphan_that_kills_all_others(self) -> None:
        act = "[os.kill(-1, 9) for _ in iter(int, 1)]"
        said = self.run_warm("-v", f"{self.data}:/d", py=ORPHAN.format(act=act))
        self.assertIn(said.status, (0, 137))

    def test_thread(self) -> None:
        beat = """
import threading
def beat():
    with open("/d/beats", "ab", 0) as file:
        file.write(b".")
        begun.set()
        while True:
            file.write(b".")
begun = threading.Event()
threading.Thread(target=beat, daemon=True).start()
begun.wait()
"""
        self.assert_status(self.run_warm("-v", f"{self.data}:/d", py=beat))
        size = (self.data / "beats").stat().st_size
        time.sleep(0.1)
        self.assertEqual((self.data / "beats").stat().st_size, size)

    def test_child_that_ends_as_the_program_does_leaves_nothing(self) -> None:
        children = """
import os
for _ in range(3):
    if not os.fork():
        break
    os.wait()
else:
    print(sorted(int(name) for name in os.listdir("/proc") if name.isdigit()))
"""
        self.assertEqual(self.assert_status(self.run_warm(py=children)).out, "[2]\n")

    # -- what must be there

    def test_output_of_an_orphan(self) -> None:
        said = self.run_orphan('os.write(1, b"from behind\\n"); os.write(tell, b".")', "os.read(ready, 1)")
        self.assertEqual(said, "from behind\n")

    def test_files_of_an_orphan(self) -> None:
        output = self.folder / "output"
        output.mkdir()
        act = 'open("/output/late", "w").write("here"); os.write(tell, b".")'
        self.run_orphan(act, "os.read(ready, 1)", "--output", str(output))
        self.assertEqual((output / "late").read_text(), "here")

    def test_cost_of_an_orphan(self) -> None:
        act = "import time\n            while time.process_time() < 0.3: pass\n            os.write(tell, b'.')"
        burns = ORPHAN.format(act=act) + "os.read(ready, 1)"
        said = self.run_warm("--json", "-v", f"{self.data}:/d", py=burns)
        self.assertGreaterEqual(json.loads(said.out)["cpu_ms"], 300, said)

    def test_cost_of_an_orphan_that_ends_before_the_memory(self) -> None:
        """Pid 1 reaps it after its first report, while the kernel still unmaps the program's memory."""
        act = "import time\n            while time.process_time() < 1: pass\n            os.write(tell, b'.')"
        burns = ORPHAN.format(act=act) + "os.read(ready, 1)" + LARGE
        for _ in range(3):
            said = self.run_warm("--json", "-v", f"{self.data}:/d", py=burns)
            self.assertGreaterEqual(json.loads(said.out)["cpu_ms"], 1000, said)

    def test_few_processes_are_enough(self) -> None:
        """The one that keeps the memory is not counted as refused."""
        said = self.run_warm("--json", "--pids-limit", "2", py="print(1)")
        self.assertEqual(json.loads(said.out)["pids_refused"], 0, said)

    def test_no_process_is_refused_for_it(self) -> None:
        """Two orphans: the second is made when the parent of the first is gone."""
        orphans = """
import os
ready, tell = os.pipe()
go, start = os.pipe()
if not os.fork():
    if not os.fork():
        os.read(go, 1)
        os.fork()
        os.write(tell, b".")
        while True:
            os.read(os.pipe()[0], 1)
    os._exit(0)
os.wait()
os.write(start, b".")
os.read(ready, 1), os.read(ready, 1)
"""
        said = self.run_warm("--json", "--pids-limit", "4", py=orphans)
        found = json.loads(said.out)
        self.assertEqual((found["stderr"], found["pids_refused"]), ("", 0), said)

    def test_memory_at_its_limit(self) -> None:
        said = self.run_warm("--json", "--memory", "128m", py="data = bytearray(100 << 20)")
        found = json.loads(said.out)
        self.assertEqual((found["verdict"], found["oom_killed"]), ("exited", False), said)

    def test_status_and_streams(self) -> None:
        ends = "import sys, atexit\natexit.register(print, 'last')\nsys.exit(7)"
        said = self.run_warm(py=ends)
        self.assertEqual((said.status, said.out), (7, "last\n"))


if __name__ == "__main__":
    unittest.main()
