"""Many runs leave nothing behind: no process, mount, control group, descriptor or file."""

import os
import threading
import unittest
from pathlib import Path

from support.case import Case
from support.machine import Before, adopt_orphans, own_groups, own_mounts
from support.processes import marked
from support.run import IS_ROOT, IS_SANITIZED, command, execute, parallel, run, unique
from support.times import sample, wait_until


class Residue(Case):
    """The machine before and after."""

    alone = True
    kernel = (
        "test_two_hundred_runs",
        "test_runs_that_fail_in_every_way",
        "test_descriptors_of_glovebox_do_not_grow",
    )
    as_user = ("test_fifty_at_the_same_time", "test_runs_that_fail_in_every_way")

    @classmethod
    def setUpClass(cls) -> None:
        """Be where only our own mounts, groups and orphans are seen."""
        super().setUpClass()
        adopt_orphans()
        if IS_ROOT:
            own_mounts()
            cls.addClassCleanup(own_groups())

    def setUp(self) -> None:
        """Look at the machine, after one run that may make what stays (such as a parent group)."""
        super().setUp()
        self.assert_status(run(argv=["/bin/true"]))
        self.before = Before()

    def assert_as_before(self, marker: str) -> None:
        """Assert that what the runs made is gone."""
        self.assert_gone(marker)
        self.assertEqual(self.before.stayed(), {})

    def test_two_hundred_runs(self) -> None:
        marker = unique()
        results = parallel(lambda n: run(argv=["/bin/true", marker]), sample(range(200)))
        self.assertEqual({(r.status, r.stdout, r.stderr) for r in results}, {(0, b"", b"")})
        self.assert_as_before(marker)

    def test_starts_do_not_disturb_each_other(self) -> None:
        # each start removes what dead ones left, and must not take a new one's group for that
        results = parallel(lambda n: run(argv=["/bin/true"]), sample(range(1500)), workers=16)
        self.assertEqual({(r.status, r.err) for r in results}, {(0, "")})

    def test_fifty_at_the_same_time(self) -> None:
        marker = unique()
        # each waits until all fifty run
        gate = self.subfolder("gate")
        script = (
            f": {marker}; touch /gate/$N; while ! test -e /gate/open; do sleep 0.2; done; echo $N"
        )

        def start(number: int):
            return run("-e", f"N={number}", "-v", f"{gate}:/gate", sh=script, timeout=110)

        def open_gate() -> None:
            wait_until(lambda: len(os.listdir(gate)) >= 50, 90)
            (gate / "open").touch()

        opener = threading.Thread(target=open_gate)
        opener.start()
        results = parallel(start, range(50), workers=50)
        opener.join()
        self.assertEqual([r.out for r in results], [f"{n}\n" for n in range(50)], results[0].err)
        self.assert_as_before(marker)

    def test_runs_that_fail_in_every_way(self) -> None:
        marker = unique()
        script = f": {marker}; setsid sleep 1000 & mkdir -p /tmp/a/b; "
        script += "head -c 9M /dev/zero > /dev/shm/f; "
        ends = [
            "exit 1",
            "kill -9 $$",
            "sleep 1000",
            "head -c 300M /dev/zero > /tmp/f",
            "kill -STOP $$",
        ]
        flags = ["--timeout", "2", "--memory", "32m", "--json"]
        self.assertEqual(len(parallel(lambda end: run(*flags, sh=script + end), ends * 3)), 15)
        refused = [["--privileged"], ["--memory", "x"], ["-v", "/proc:/x"], ["--cidfile", "/"]]
        parallel(lambda f: run(*f, sh=script), refused)
        parallel(lambda name: run(argv=[name, marker]), ["/no/such", "/etc/passwd"])
        self.assert_as_before(marker)

    def test_descriptors_of_glovebox_do_not_grow(self) -> None:
        marker = unique()
        process = self.start_ready(command("-i", sh=f": {marker}; echo ready; sleep 1000"))
        count = len(os.listdir(f"/proc/{process.pid}/fd"))
        self.assertLess(count, 64)
        process.kill()
        process.wait()
        self.assert_gone(marker)

    @unittest.skipIf(IS_SANITIZED, "cannot: AddressSanitizer takes more")
    def test_memory_of_the_supervisor(self) -> None:
        process = self.start_ready(command(sh="echo ready; sleep 1000"))
        status = Path(f"/proc/{process.pid}/status").read_text()
        anonymous = [line for line in status.splitlines() if line.startswith(("VmRSS", "RssAnon"))]
        resident = int(anonymous[0].split()[1])
        self.assertLess(resident, 8 << 10, anonymous)

    def test_the_working_directory_stays_clean(self) -> None:
        execute(command(argv=["/bin/true"]), cwd=self.folder)
        self.assertEqual(os.listdir(self.folder), [])
        self.assertEqual(marked(unique()), [])
