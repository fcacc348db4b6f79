"""update: the limits of sandboxes that stay are changed while they run, and for their next start."""

import json
import os
import signal
import threading
import time
import unittest
from pathlib import Path
from typing import Any

from integration.staying import WAITS, Staying
from support.machine import groups
from support.run import IS_ROOT, parallel
from support.times import seconds, wait_until

MIB = 1 << 20
TAKES = "import time; b = bytearray({mib} << 20); open('/tmp/taken', 'w'); time.sleep(1000)"


class Updating(Staying):
    """What is left behind of an update."""

    def limits(self, name: str) -> dict[str, Any]:
        """Return what inspect says of the limits."""
        limits: dict[str, Any] = self.described(name)["HostConfig"]
        return limits

    def used(self, name: str) -> dict[str, Any]:
        """Return what stats says, which the monitor has told."""
        [one] = json.loads(self.assert_status(self.ours("stats", "--json", name)).out)
        return dict(one)

    def update(self, name: str, *flags: str) -> None:
        """Update one."""
        self.assert_prints(name, self.ours("update", *flags, name))

    def refused(self, name: str, *flags: str, says: str) -> None:
        """Assert that an update is refused in one line, and that nothing has changed."""
        before = self.limits(name)
        self.assert_fails(self.ours("update", *flags, name), 125, says)
        self.assertEqual(self.limits(name), before)

    def takes(self, name: str, mib: int) -> None:
        """Have a further program take memory."""
        self.assert_status(self.ours("exec", "-d", name, "python3", "-c", TAKES.format(mib=mib)))
        wait_until(lambda: self.inside(name, "test -e /tmp/taken").status == 0)


class Running(Updating):
    """One that runs."""

    as_user = True
    kernel = (  # control groups of v1 and of v2 have other files
        "test_memory_below_what_is_used",
        "test_cached_files_are_no_obstacle",
        "test_cpus",
        "test_limits_are_lifted_and_set_again",
    )

    def test_memory_is_raised(self) -> None:
        name = self.stay("--memory=40m")
        self.update(name, "--memory", "200m")
        self.assertEqual(self.used(name)["memory_limit_bytes"], 200 * MIB)
        self.assertEqual((self.limits(name)["Memory"], self.limits(name)["MemorySwap"]), (200 * MIB, 200 * MIB))
        self.takes(name, 100)
        self.assertEqual(self.field(name, "State.Status"), "running")

    def test_memory_is_lowered_and_holds(self) -> None:
        name = self.stay("--memory=200m")
        self.update(name, "-m40m")
        self.ours("exec", name, "python3", "-c", "bytearray(100 << 20)")
        self.assertEqual(self.end_of(name), "137")
        self.assertEqual(self.field(name, "State.OOMKilled"), "true")

    def test_memory_below_what_is_used(self) -> None:
        name = self.stay("--memory=200m")
        self.takes(name, 100)
        self.refused(name, "--memory=50m", "--pids-limit=30", "--cpus=0.5", says="--memory: it uses ")
        self.assertEqual(self.used(name)["memory_limit_bytes"], 200 * MIB)
        self.takes(name, 20)  # the old limit holds
        self.assertEqual(self.field(name, "State.Status"), "running")

    def test_cached_files_are_no_obstacle(self) -> None:
        self.file("big", "x" * (60 * MIB))
        name = self.stay("--memory=200m", "-v", f"{self.folder}/big:/big:ro")
        self.assert_status(self.inside(name, "cat /big >/dev/null"))
        self.update(name, "--memory=30m")
        self.assert_prints("on", self.inside(name, "echo on"))

    def test_pids(self) -> None:
        name = self.stay("--pids-limit=10")
        forks = "import os, time\nn = 0\ntry:\n    while n < 40:\n        if not os.fork(): time.sleep(1000)\n        n += 1\nexcept OSError: pass\nprint(n)"
        self.update(name, "--pids-limit=20")
        self.assertEqual(self.limits(name)["PidsLimit"], 20)
        count = int(self.assert_status(self.ours("exec", name, "python3", "-c", forks)).out)
        self.assertGreater(count, 10)
        self.assertLess(count, 20)

    def test_cpus(self) -> None:
        name = self.stay("--cpus=1")
        self.update(name, "--cpus=0.25")
        limits = self.limits(name)
        self.assertEqual((limits["NanoCpus"], limits["CpuQuota"], limits["CpuPeriod"]), (250_000_000, 25000, 100000))
        self.refused(name, "--cpu-quota=30000", says="conflicts")
        name = self.stay("--cpu-quota=30000")
        self.update(name, "--cpu-period=50000", "--cpu-quota=20000")
        self.assertEqual((self.limits(name)["CpuQuota"], self.limits(name)["CpuPeriod"]), (20000, 50000))

    def test_limits_are_lifted_and_set_again(self) -> None:
        name = self.stay("--memory=40m")
        self.update(name, "--memory=0", "--pids-limit=-1", "--cpus=0")
        self.assertIsNone(self.used(name)["memory_limit_bytes"])
        limits = self.limits(name)
        self.assertEqual([limits[key] for key in ("Memory", "MemorySwap", "PidsLimit", "NanoCpus")], 4 * [0])
        self.takes(name, 100)
        self.refused(name, "--memory=50m", says="--memory: it uses ")
        self.update(name, "--memory=300m", "--pids-limit=30", "--cpus=0.5")
        self.assertEqual(self.used(name)["memory_limit_bytes"], 300 * MIB)
        self.ours("exec", name, "python3", "-c", "bytearray(400 << 20)")
        self.assertEqual(self.end_of(name), "137")

    def test_what_it_never_had(self) -> None:
        name = self.stay("--memory=0", "--pids-limit=0", "--cpus=0")
        self.refused(name, "--memory=50m", says="update it, and start")
        self.update(name, "--timeout=1h")
        self.assertEqual(self.limits(name)["TimeoutMs"], 3600000)

    def test_one_that_is_paused(self) -> None:
        name = self.stay("--memory=40m")
        self.assert_status(self.ours("pause", name))
        self.update(name, "--memory=50m")
        self.assertEqual(self.field(name, "State.Status"), "paused")
        self.assert_status(self.ours("unpause", name))
        self.assertEqual(self.used(name)["memory_limit_bytes"], 50 * MIB)

    def test_with_a_network(self) -> None:
        name = "published"
        self.assert_status(self.detached("--name", name, "-p", "8000", "--pids-limit=10", sh=WAITS))
        self.update(name, "--pids-limit=12", "--memory=100m")
        self.assertEqual(self.limits(name)["PidsLimit"], 12)

    def test_many_at_once(self) -> None:
        name = self.stay("--memory=100m")
        flags = ("--memory=150m", "--cpus=0.5", "--pids-limit=33", "--timeout=1h")
        for result in parallel(lambda flag: self.ours("update", flag, name), flags, 4):
            self.assert_prints(name, result)
        limits = self.limits(name)
        wanted = (150 * MIB, 500_000_000, 33, 3600000)
        self.assertEqual(tuple(limits[key] for key in ("Memory", "NanoCpus", "PidsLimit", "TimeoutMs")), wanted)
        self.assertEqual(self.used(name)["memory_limit_bytes"], 150 * MIB)


class Deadline(Updating):
    """--timeout."""

    as_user = True

    def test_it_counts_from_now(self) -> None:
        name = self.stay("--timeout=1h")
        self.update(name, "--timeout", seconds(0.3))
        self.assertEqual(self.end_of(name), "124")
        self.assertEqual(self.described(name)["Result"]["verdict"], "wall_time")

    def test_none(self) -> None:
        name = self.stay("--timeout", seconds(5), sh="echo began; sleep 1000")
        self.update(name, "--timeout=0")
        self.assertEqual(self.limits(name)["TimeoutMs"], 0)
        self.update(name, "--memory=100m")
        self.update(name, "--timeout=1h")
        self.update(name, "--pids-limit=20")  # leaves the deadline
        self.assertEqual(self.limits(name)["TimeoutMs"], 3600000)
        self.update(name, "--timeout", seconds(0.1))
        self.assertEqual(self.end_of(name), "124")


class Idle(Updating):
    """--idle-timeout: the end comes when no further program runs and no client is connected."""

    as_user = True

    def test_it_ends(self) -> None:
        name = self.stay("--idle-timeout", seconds(0.3))
        wait_until(lambda: self.field(name, "State.Status") == "exited")
        described = self.described(name)
        self.assertEqual((described["State"]["ExitCode"], described["Result"]["verdict"]), (124, "idle"))
        self.assertIs(described["Result"]["timed_out"], False)

    def stays(self, name: str) -> None:
        """Assert that it does not end within some of its idle times."""
        self.update(name, "--idle-timeout=10ms")
        time.sleep(0.5)
        self.assertEqual(self.field(name, "State.Status"), "running")

    def ends(self, name: str) -> None:
        """Assert that it is ended for being idle."""
        wait_until(lambda: self.field(name, "State.Status") == "exited")
        self.assertEqual(self.described(name)["Result"]["verdict"], "idle")

    def test_a_program_that_is_refused_after_its_order_does_not(self) -> None:
        name = self.stay()
        (self.records[0] / "programs/1/in the way").mkdir(parents=True)
        self.assert_status(self.inside(name, "exec sleep 1000", "-d", "--keep"), 125)
        self.update(name, "--idle-timeout=10ms")
        self.ends(name)

    def test_a_further_program_keeps_it(self) -> None:
        name = self.stay()
        self.assert_status(self.inside(name, "while ! test -e /tmp/end; do sleep 0.02; done", "-d"))
        self.stays(name)
        self.update(name, "--idle-timeout=1h")
        self.assert_status(self.inside(name, "touch /tmp/end"))
        self.update(name, "--idle-timeout=10ms")
        self.ends(name)

    def test_a_client_keeps_it(self) -> None:
        name = self.stay(sh="while :; do echo tick; sleep 0.02; done")
        with (self.folder / "said").open("wb") as out:
            attached = self.start([self.program, "attach", "--no-stdin", name], env=os.environ | self.env, stdout=out)
        wait_until(lambda: (self.folder / "said").read_text())
        self.stays(name)
        attached.kill()
        self.ends(name)

    def test_a_program_that_cannot_start_is_none(self) -> None:
        name = self.stay()
        self.assert_status(self.ours("exec", name, "/nowhere"), 127)
        self.update(name, "--idle-timeout=10ms")
        self.ends(name)

    def test_update(self) -> None:
        name = self.stay("--idle-timeout=1h")
        self.assertEqual(self.limits(name)["IdleTimeoutMs"], 3600000)
        self.update(name, "--idle-timeout=0")
        self.assertEqual(self.limits(name)["IdleTimeoutMs"], 0)
        self.update(name, "--idle-timeout", seconds(0.3))
        wait_until(lambda: self.field(name, "State.Status") == "exited")
        self.update(name, "--idle-timeout=0")
        self.assert_status(self.ours("start", name))
        self.assertEqual(self.limits(name)["IdleTimeoutMs"], 0)

    def test_the_shorter_one_counts(self) -> None:
        name = self.stay("--idle-timeout=1h", "--timeout", seconds(0.3))
        self.assertEqual(self.end_of(name), "124")
        self.assertEqual(self.described(name)["Result"]["verdict"], "wall_time")

    def test_without_detach(self) -> None:
        self.assert_fails(self.ours("run", "--idle-timeout=5", "host", "true"), 125, "--detach")


class Next(Updating):
    """The next start, and one that does not run."""

    as_user = True

    def test_it_holds_at_the_next_start(self) -> None:
        name = self.stay("--memory=100m", "--", argv=["sleep", "1000"])
        for memory in ("120m", "140m", "160m"):
            self.update(name, "--memory", memory)
        self.update(name, "--pids-limit=20")
        self.assert_status(self.ours("restart", "-t", "0", name))
        self.assertEqual(self.used(name)["memory_limit_bytes"], 160 * MIB)
        self.assertEqual((self.limits(name)["Memory"], self.limits(name)["PidsLimit"]), (160 * MIB, 20))
        [kept] = [json.loads((record / "update").read_text()) for record in self.records]
        self.assertEqual(kept["words"], [f"--memory={160 * MIB}", "--pids-limit=20"])

    def test_a_created_one(self) -> None:
        self.assert_status(self.ours("create", "--name", "made", "host", "sh", "-c", WAITS))
        self.update("made", "--memory=100m", "--timeout", "1h")
        self.assertEqual(self.field("made", "State.Status"), "created")
        self.assert_status(self.ours("start", "made"))
        self.assertEqual(self.used("made")["memory_limit_bytes"], 100 * MIB)

    def test_one_that_has_ended_gets_what_it_never_had(self) -> None:
        name = self.stay("--memory=0", "--pids-limit=0", "--cpus=0")
        self.assert_status(self.ours("stop", "-t", "0", name))
        self.update(name, "--memory=100m")
        self.assertEqual(self.limits(name)["Memory"], 100 * MIB)
        self.assert_status(self.ours("start", name))
        self.assertEqual(self.used(name)["memory_limit_bytes"], 100 * MIB)

    def test_a_deadline_is_taken_away(self) -> None:
        name = self.stay("--timeout", seconds(0.2), argv=["sleep", "1000"])
        self.assertEqual(self.end_of(name), "124")
        self.update(name, "--timeout=0")
        self.assert_status(self.ours("start", name))
        self.assertEqual(self.limits(name)["TimeoutMs"], 0)
        self.assertEqual(self.field(name, "State.Status"), "running")

    def test_one_whose_monitor_was_killed(self) -> None:
        name = self.stay()
        os.kill(self.state(name)["Pid"], signal.SIGKILL)
        wait_until(lambda: self.field(name, "State.Status") == "dead")
        self.update(name, "--memory=100m")
        self.assert_status(self.ours("start", name))
        self.assertEqual(self.used(name)["memory_limit_bytes"], 100 * MIB)


class Refused(Updating):
    """Bad words change nothing."""

    def test_values_that_run_refuses(self) -> None:
        running, made = self.stay("--memory=100m"), "made"
        self.assert_status(self.ours("create", "--name", made, "--memory=100m", "host", "true"))
        for name in (running, made):
            self.refused(name, "--memory=1", says="--memory")
            self.refused(name, "--memory=", says="--memory")
            self.refused(name, "--pids-limit=1", says="--pids-limit")
            self.refused(name, "--cpus=100000", says="--cpus")
            self.refused(name, "--timeout=x", says="--timeout")
            self.refused(name, "--memory-swap=10m", says="--memory-swap")
            self.refused(name, "--memory=200m", "--cpu-shares=5", says="--cpu-shares: not supported")
            self.refused(name, "--cpuset-cpus=0", says="--cpuset-cpus: not supported")
            self.refused(name, "--restart=always", says="--restart: not supported")
        self.assertEqual(self.used(running)["memory_limit_bytes"], 100 * MIB)
        self.assertEqual([p for record in self.records for p in record.glob("update*")], [])

    def test_limits_that_no_flag_has(self) -> None:
        """Another program of the user may ask the monitor, too: it judges as the parser does."""
        name = self.stay("--memory=100m")
        limits = json.loads((self.records[0] / "record").read_text())["limits"]
        wrong: list[tuple[str, str, int]] = [("memory_bytes", "--memory", n) for n in (0, 1, 1 << 52)]
        wrong += [("pids", "--pids-limit", n) for n in (0, 1, 1 << 30)]
        wrong += [("cpu_period_us", "--cpu-period", n) for n in (0, 1, 1 << 52)]
        wrong += [("cpu_quota_us", "--cpu-quota", n) for n in (0, 9, 1 << 52)]
        wrong += [("swap_bytes", "--memory-swap", 1 << 52), ("wall_time_ms", "--timeout", 0), ("idle_ms", "--idle-timeout", 1 << 52)]
        for key, flag, value in wrong:
            with self.subTest(key=key, value=value):
                answer, _ = self.ask(name, op="update", **{**limits, key: value})
                self.assertEqual(answer["kind"], "invalid")
                self.assertIn(flag, answer["error"])
        answer, _ = self.ask(name, op="update", **{**limits, "cpu_period_us": str((1 << 64) - 1)})
        self.assertIn("--cpu-period", answer["error"])
        self.assertEqual(self.used(name)["memory_limit_bytes"], 100 * MIB)
        self.assertEqual(self.ask(name, op="update", **limits)[0]["error"], "")

    def test_a_record_whose_limits_somebody_has_changed(self) -> None:
        name = self.stay("--memory=100m", sh="exit 3")
        self.end_of(name)
        record = self.records[0] / "record"
        what = json.loads(record.read_text())
        for key in ("cpu_period_us", "memory_bytes"):
            record.write_text(json.dumps({**what, "limits": {**what["limits"], key: 0}}))
            self.assertEqual(self.limits(name)["Memory"], 0)
            self.assertEqual(self.state(name)["ExitCode"], 3)

    def test_names_and_flags_are_needed(self) -> None:
        name = self.stay()
        self.assert_fails(self.ours("update", name), 125, "one or more flags")
        self.assert_fails(self.ours("update", "--memory=1g"), 125, "a name is needed")
        result = self.ours("update", "--memory=100m", "nowhere", name)
        self.assert_status(result, 125)
        self.assertEqual((result.out, "No such container: nowhere" in result.err), (f"{name}\n", True))

    def test_a_record_that_cannot_be_written(self) -> None:
        """The limits are as before: what is in effect is what the next start has."""
        name = self.stay("--memory=100m")
        (self.records[0] / "update.new").mkdir()
        self.refused(name, "--memory=200m", "--cpus=0.5", says="write what is updated")
        self.assertEqual(self.used(name)["memory_limit_bytes"], 100 * MIB)

    @unittest.skipUnless(IS_ROOT, "cannot: the group of an ordinary user's sandbox lies elsewhere")
    def test_a_file_that_the_kernel_refuses(self) -> None:
        """The limits before it are put back: the monitor has the files of its group, and no right to more."""
        name = self.stay("--memory=100m", "--pids-limit=20", "--cpus=1")
        named = f"/glovebox/sandbox-{self.described(name)['Id']}"
        own = [Path(group) for group in groups() if group.endswith(named)]
        [file] = [file for group in own for file in (group / "cpu.cfs_quota_us", group / "cpu.max") if file.exists()]
        file.chmod(0o444)
        self.refused(name, "--memory=200m", "--pids-limit=30", "--cpus=0.5", says=file.name)
        self.assertEqual(self.used(name)["memory_limit_bytes"], 100 * MIB)
        self.update(name, "--memory=200m", "--pids-limit=30")


class Meanwhile(Updating):
    """What happens at the wrong moment."""

    def test_it_ends_meanwhile(self) -> None:
        """Its next start has the limits, whichever comes first."""
        for _ in range(20):
            name = self.stay(argv=["sleep", "1000"])
            ending = threading.Thread(target=self.ours, args=("kill", name))
            ending.start()
            self.update(name, "--memory=100m")
            ending.join()
            self.assertEqual(self.limits(name)["Memory"], 100 * MIB)

    def test_the_monitor_is_stopped(self) -> None:
        name = self.stay()
        pid = self.state(name)["Pid"]
        os.kill(pid, signal.SIGSTOP)
        self.addCleanup(os.kill, pid, signal.SIGCONT)
        self.refused(name, "--memory=100m", says="does not answer")

    def test_programs_take_memory_meanwhile(self) -> None:
        """The kernel reclaims what they take again: it is set or refused, and the monitor answers."""
        self.file("big", "x" * (60 * MIB))
        name = self.stay("--memory=80m", "-v", f"{self.folder}/big:/big:ro")
        for _ in range(4):
            self.assert_status(self.inside(name, "while :; do cat /big >/dev/null; done", "-d"))
        for memory in ("60m", "40m", "20m", "12m"):
            result = self.ours("update", "--memory", memory, name)
            self.assertIn((result.status, "--memory: it uses" in result.err), ((0, False), (125, True)), result.err)
            self.assertEqual(self.used(name)["memory_limit_bytes"], self.limits(name)["Memory"])

    def test_start_and_update_are_one_after_the_other(self) -> None:
        for _ in range(10):
            name = self.stay(argv=["sleep", "1000"])
            self.assert_status(self.ours("stop", "-t", "0", name))
            starting = threading.Thread(target=self.ours, args=("start", name))
            starting.start()
            self.update(name, "--memory=100m")
            starting.join()
            self.assertEqual(self.used(name)["memory_limit_bytes"], 100 * MIB)
