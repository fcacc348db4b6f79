"""Limits really reached: memory, pids, cpu, time, output, and the rlimits of a process."""

import os
import re
import time

from support.case import Case
from support.messages import message
from support.processes import marked
from support.run import GLOVEBOX, command, execute, run, unique
from support.times import seconds, wait_until

EAT = "data = bytearray(300 << 20); print('survived', len(data))"
BURN = "while :; do :; done"


class Memory(Case):
    """--memory is a wall for all processes together, and says so."""

    kernel = (
        "test_limit_is_reached",
        "test_a_child_that_reaches_it_ends_everything",
        "test_tmpfs_counts",
        "test_sockets_that_exceed_it_are_said_to",
        "test_json_says_so",
    )
    as_user = True

    def assert_killed(self, result, value: str) -> None:
        """Assert that memory ended a run, with the limit and the peak on stderr."""
        self.assert_status(result, 137)
        self.assertEqual(result.out, "")
        self.assertRegex(result.err, message("report_say_memory#1"))
        self.assertRegex(result.err.lower(), value)
        self.assertIn("peak", result.err.lower())

    def test_limit_is_reached(self) -> None:
        self.assert_killed(run("--memory", "64m", py=EAT), "64 ?m|67108864")

    def test_default_is_512m_without_swap(self) -> None:
        eat = EAT.replace("300", "600")
        self.assert_killed(run(py=eat), "512 ?m|536870912")

    def test_below_the_limit_nothing_happens(self) -> None:
        self.assert_status(run("--memory", "600m", py=EAT))

    def test_a_child_that_reaches_it_ends_everything(self) -> None:
        script = f'/usr/bin/python3 -c "{EAT}"; sleep 1000'
        self.assert_killed(run("--memory", "64m", sh=script), "64 ?m|67108864")

    def test_processes_are_added_up(self) -> None:
        eat = "data = bytearray(60 << 20); import time; time.sleep(100)"
        script = f"for i in 1 2 3 4 5 6; do /usr/bin/python3 -c '{eat}' & done; wait"
        self.assert_killed(run("--memory", "128m", sh=script), "128 ?m|134217728")

    def test_tmpfs_counts(self) -> None:
        script = "cat /dev/zero | head -c 300M > /big/file; sleep 1000"
        flags = ["--memory", "64m", "--tmpfs", "/big:size=400m"]
        self.assert_killed(run(*flags, sh=script), "64 ?m|67108864")

    def test_sockets_that_exceed_it_are_said_to(self) -> None:
        script = (
            "import socket, time\n"
            "server = socket.create_server(('127.0.0.1', 0), backlog=4000)\n"
            "for _ in range(2000): socket.create_connection(server.getsockname()).close()\n"
            "time.sleep(1000)"
        )
        result = run("--memory", "64m", py=script)
        self.assert_killed(result, "64m .*, in sockets")

    def test_json_says_so(self) -> None:
        result = run("--json", "--memory", "64m", py=EAT)
        self.assert_status(result, 137)
        self.assertIs(result.json["oom_killed"], True)
        self.assertEqual(result.json["verdict"], "memory")
        self.assertEqual(result.json["exit_code"], 137)
        self.assertGreater(result.json["memory_peak_bytes"], 32 << 20)
        self.assertLessEqual(result.json["memory_peak_bytes"], 65 << 20)

    def test_a_program_that_kills_itself_is_not_blamed_on_memory(self) -> None:
        result = run("--json", sh="kill -9 $$")
        self.assertIs(result.json["oom_killed"], False)
        self.assertEqual(result.json["verdict"], "signalled")


class Pids(Case):
    """--pids-limit counts processes and threads."""

    kernel = True
    as_user = True

    FORK = """
import os, time
made = 0
try:
    for _ in range(200):
        if os.fork() == 0:
            time.sleep(1000)
        made += 1
except OSError as error:
    print(error.errno, made)
"""
    THREADS = """
import threading, time
made = 0
try:
    for _ in range(200):
        threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
        made += 1
except RuntimeError:
    print(11, made, flush=True)
import os; os._exit(0)
"""

    def made(self, result) -> int:
        """Return how many the program could make before EAGAIN."""
        self.assert_status(result)
        errno, made = result.out.split()
        self.assertEqual(errno, "11")
        return int(made)

    def test_processes(self) -> None:
        self.assertIn(self.made(run("--pids-limit", "16", py=self.FORK)), range(10, 16))

    def test_it_is_said(self) -> None:
        fails = self.FORK + "raise SystemExit(3)\n"
        result = self.assert_status(run("--pids-limit", "16", py=fails), 3)
        self.assertRegex(result.err, r"\A\[PIDS\] [0-9]+ .* 16\n\Z")
        self.assertEqual(run("-q", "--pids-limit", "16", py=fails).err, "")
        self.assertEqual(run("--pids-limit", "16", py="raise SystemExit(3)").err, "")

    def test_threads(self) -> None:
        self.assertIn(self.made(run("--pids-limit", "16", py=self.THREADS)), range(10, 16))

    def test_default_is_64(self) -> None:
        self.assertIn(self.made(run(py=self.FORK)), range(58, 64))

    def test_fork_bomb_ends_at_the_deadline(self) -> None:
        marker = unique("bomb")
        script = f"""
import os # {marker}
while True:
    try:
        os.fork()
    except OSError:
        pass
"""
        self.assert_status(run("--timeout", "2", py=script), 124)
        self.assert_gone(marker)


class Cpu(Case):
    """--cpus throttles, --cpu-time kills, --cpuset-cpus chooses."""

    kernel = (
        "test_a_fifth_of_a_cpu",
        "test_cpu_time",
        "test_cpu_time_adds_up_processes",
        "test_cpuset",
    )
    as_user = True

    MEASURE = """
import time
start, used = time.monotonic(), time.process_time()
while time.process_time() < used + 0.5:
    pass
print((time.monotonic() - start) / (time.process_time() - used))
"""

    def test_a_fifth_of_a_cpu(self) -> None:
        result = self.assert_status(run("--cpus", "0.2", py=self.MEASURE))
        self.assertGreater(float(result.out), 2.5)

    def test_quota_and_period(self) -> None:
        flags = ["--cpu-period", "50000", "--cpu-quota", "10000"]
        result = self.assert_status(run(*flags, py=self.MEASURE))
        self.assertGreater(float(result.out), 2.5)

    def test_default_is_one_cpu(self) -> None:
        burn = """
import os, time
start = time.monotonic()
for _ in range(3):
    if os.fork() == 0:
        while time.monotonic() < start + 2:
            pass
        os._exit(0)
for _ in range(3):
    os.wait()
times = os.times()
print((times.children_user + times.children_system) / (time.monotonic() - start))
"""
        result = self.assert_status(run(py=burn))
        self.assertLess(float(result.out), 1.35)

    def test_cpu_time(self) -> None:
        result = run("--json", "--cpu-time", "1", "--timeout", "90", sh=BURN)
        self.assertEqual(result.json["verdict"], "cpu_time")
        self.assertEqual(result.json["exit_code"], result.status)
        self.assertIn(result.status, (137, 152))
        self.assertIs(result.json["timed_out"], False)
        self.assertGreaterEqual(result.json["cpu_ms"], 900)

    def test_cpu_time_says_which_limit(self) -> None:
        result = run("--cpu-time", "500ms", "--timeout", "90", sh=BURN)
        self.assertRegex(result.err.lower(), "cpu.?time")
        self.assertRegex(result.err, "0.5|500")

    def test_cpu_time_adds_up_processes(self) -> None:
        # no single process uses a second: each ends after about 0.2 s
        one = "import time\nwhile time.process_time() < 0.2: pass"
        script = f"while :; do /usr/bin/python3 -c '{one}'; done"
        result = run("--json", "--cpu-time", "1", "--timeout", "90", sh=script)
        self.assertEqual(result.json["verdict"], "cpu_time")

    def test_sleeping_is_not_cpu_time(self) -> None:
        limit, longer = seconds(1), seconds(1.2)
        self.assert_prints("ok", run("--cpu-time", limit, sh=f"sleep {longer}; echo ok"))

    def test_cpuset(self) -> None:
        first = min(os.sched_getaffinity(0))
        result = run("--cpuset-cpus", str(first), py="import os; print(os.sched_getaffinity(0))")
        if result.status == 125 and os.geteuid() != 0:
            self.assertIn("--cpuset-cpus", result.err)
            self.skipTest("cannot: cpuset is not delegated to this user")
        self.assert_prints(f"{{{first}}}", result)

    def test_a_cpu_that_is_not_there_is_named_with_those_that_are(self) -> None:
        result = run("--cpuset-cpus", "0,4000-4001", sh="true")
        if result.status == 125 and "cgroup" in result.err:
            self.skipTest("cannot: cpuset is not delegated to this user")
        self.assert_refused(result, message("cgroup_put_cpuset", "--cpuset-cpus", "0,4000-4001"), "the CPUs 0")


class WallTime(Case):
    """--timeout ends everything, whatever the program does about it."""

    as_user = ("test_exact_text", "test_programs_that_resist")

    def assert_timed_out(self, result, said: str = "1 second") -> None:
        """Assert the status and the exact text."""
        self.assert_status(result, 124)
        self.assertRegex(result.err, message("report_say_ending#TIMEOUT", said))

    def test_exact_text(self) -> None:
        self.assert_timed_out(run("--timeout", "1", sh="sleep 1000"))
        self.assert_timed_out(run("--timeout", "1s", sh="sleep 1000"))
        self.assert_timed_out(run("--timeout", "2s", sh="sleep 1000"), "2 second")
        self.assert_timed_out(run("--timeout", "500ms", sh="sleep 1000"), "0.5 second")

    def test_stop_signal_before_the_kill(self) -> None:
        script = "trap 'echo bye; exit 5' USR1; while :; do sleep 0.1; done"
        flags = ("--timeout", seconds(1), "--stop-signal", "USR1")
        result = self.assert_status(run(*flags, "--stop-timeout", "60s", sh=script), 124)
        self.assertEqual(result.out, "bye\n")
        deaf = "trap '' USR1; while :; do sleep 0.1; done"
        self.assert_status(run(*flags, "--stop-timeout", "100ms", sh=deaf), 124)

    FINALLY = """
import sys, time
try:
    time.sleep(1000)
finally:
    print("saved")
    %s
"""

    def test_the_program_is_interrupted_first(self) -> None:
        result = run("--timeout", seconds(2), py=self.FINALLY % "pass")
        self.assert_timed_out(result, seconds(2).replace("s", " second"))
        self.assertEqual(result.out, "saved\n")
        self.assertIn("KeyboardInterrupt", result.err)
        self.assertIn("line 4", result.err)

    def test_an_end_with_success_in_the_grace_is_a_timeout(self) -> None:
        result = run("--json", "--timeout", seconds(2), py=self.FINALLY % "sys.exit(0)")
        self.assert_status(result, 124)
        self.assertEqual((result.json["verdict"], result.json["stdout"]), ("wall_time", "saved\n"))

    def test_what_a_shell_has_started_is_interrupted_too(self) -> None:
        script = f"python3 -c '{self.FINALLY % 'pass'}'; sleep 1000"
        self.assertEqual(self.assert_status(run("--timeout", seconds(2), sh=script), 124).out, "saved\n")

    def test_no_stop_timeout_is_no_interrupt(self) -> None:
        result = run("--timeout", seconds(1), "--stop-timeout", "0", py=self.FINALLY % "pass")
        self.assert_timed_out(result)
        self.assertEqual(result.out, "")

    def test_another_stop_signal_is_sent_in_its_place(self) -> None:
        script = "trap 'echo term; exit 5' TERM; trap '' INT; while :; do sleep 0.1; done"
        result = run("--timeout", seconds(1), "--stop-signal", "TERM", sh=script)
        self.assertEqual(self.assert_status(result, 124).out, "term\n")

    def test_output_so_far_is_kept(self) -> None:
        limit = seconds(2)
        result = run("--timeout", limit, sh="echo out; echo err >&2; sleep 1000")
        self.assert_timed_out(result, limit.replace("s", " second"))
        self.assertEqual(result.out, "out\n")
        self.assertTrue(result.err.startswith("err\n"))

    def test_programs_that_resist(self) -> None:
        scripts = {
            "ignores": "trap '' TERM INT HUP QUIT; while :; do sleep 1000; done",
            "stops itself": "kill -STOP $$",
            "stops all": "kill -STOP -1; sleep 1000",
            "daemon": "(setsid sleep 1000 &); sleep 1000",
            "closes": "exec <&- >&- 2>&-; while :; do sleep 1000; done",
            "burns": BURN,
            "floods": "yes",
            "floods both": "yes & yes >&2",
            "kills init": "kill -9 1; kill -STOP 1; kill -INT 1; sleep 1000",
        }
        for name, script in scripts.items():
            marker = unique()
            with self.subTest(name=name):
                result = run("--timeout", "1", "--output-limit", "1m", sh=f": {marker}; {script}")
                self.assertEqual(result.status, 124)
                self.assertRegex(result.err, message("report_say_ending#TIMEOUT", 1))
                self.assert_gone(marker)

    def test_json(self) -> None:
        result = run("--json", "--timeout", seconds(1), sh="echo out; sleep 1000")
        self.assert_status(result, 124)
        self.assertIs(result.json["timed_out"], True)
        self.assertEqual(result.json["verdict"], "wall_time")
        self.assertEqual(result.json["stdout"], "out\n")
        self.assertGreaterEqual(result.json["duration_ms"], 1000)

    def test_a_program_that_ends_in_time(self) -> None:
        result = run("--timeout", "90", sh="echo ok")
        self.assert_prints("ok", result)
        self.assertEqual(result.err, "")

    def test_a_reader_that_does_not_read_does_not_defeat_it(self) -> None:
        marker = unique()
        flags = ["--timeout", seconds(1), "--output-limit", "100m"]
        process = self.start_ready(command(*flags, sh=f": {marker}; echo ready; yes"))
        scripts = lambda: [p for p in marked(marker) if p != process.pid]  # noqa: E731
        wait_until(lambda: not scripts(), 60)
        self.assertEqual(scripts(), [])
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 124)
        self.assertIn(b"[TIMEOUT]", err)
        self.assertEqual(set(out.splitlines()[:-1]) | {b"y"}, {b"y"})

    def test_the_deadline_is_not_reached_early(self) -> None:
        start = time.monotonic()
        self.assert_timed_out(run("--timeout", "1.5s", sh="sleep 1000"), "1.5 second")
        self.assertGreaterEqual(time.monotonic() - start, 1.5)


class Output(Case):
    """--output-limit cuts each stream and lets the program go on."""

    def test_each_stream_is_cut_exactly(self) -> None:
        script = "head -c 5000 /dev/zero; head -c 4000 /dev/zero >&2; exit 3"
        result = run("--json", "--output-limit", "1000", sh=script)
        self.assert_status(result, 3)
        self.assertEqual(len(result.json["stdout"]), 1000)
        self.assertEqual(len(result.json["stderr"]), 1000)
        self.assertEqual(result.json["truncated"], {"stdout": True, "stderr": True})

    def test_exactly_the_limit_is_not_truncated(self) -> None:
        result = run("--json", "--output-limit", "1000", sh="head -c 1000 /dev/zero")
        self.assertEqual(result.json["truncated"], {"stdout": False, "stderr": False})

    def test_one_byte_more_is(self) -> None:
        result = run("--json", "--output-limit", "1000", sh="head -c 1001 /dev/zero")
        self.assertEqual(result.json["truncated"], {"stdout": True, "stderr": False})
        self.assertEqual(len(result.json["stdout"]), 1000)

    def test_success_without_all_of_its_output_is_none(self) -> None:
        for flags in (["--json"], []):
            result = run("--output-limit", "1000", *flags, sh="head -c 1001 /dev/zero")
            self.assert_status(result, 123)
        said = run("--json", "--output-limit", "9", sh="echo 1 >&2; echo 1234567890")
        self.assertEqual((said.json["verdict"], said.json["exit_code"]), ("output", 123))

    def test_docker_cuts_nothing(self) -> None:
        docker = self.folder / "docker"
        docker.symlink_to(GLOVEBOX)
        size = (64 << 20) + 1
        words = [docker, "run", "--rm", "host", "head", "-c", str(size), "/dev/zero"]
        self.assertEqual(len(self.assert_status(execute(words)).stdout), size)
        result = execute([*words[:3], "--output-limit", "1k", *words[3:]])
        self.assertEqual((result.status, len(result.stdout)), (123, 1024))

    def test_zero_is_no_limit(self) -> None:
        size = (64 << 20) + 1
        words = ("head", "-c", str(size), "/dev/zero")
        result = run("--output-limit", "0", argv=words)
        self.assertEqual(len(self.assert_status(result).stdout), size)
        result = run("--output-limit", "0", "--json", argv=words)
        self.assertEqual(len(self.assert_status(result).json["stdout"]), size)

    def test_without_json_stderr_says_so(self) -> None:
        result = run("--output-limit", "1000", sh="head -c 5000 /dev/zero; echo end >&2; exit 3")
        self.assert_status(result, 3)
        self.assertEqual(result.stdout, bytes(1000))
        self.assertTrue(result.err.startswith("end\n"))
        self.assertRegex(result.err, "1000")

    def test_a_flood_is_drained(self) -> None:
        result = run("--output-limit", "1k", sh="head -c 200M /dev/zero; exit 5")
        self.assert_status(result, 5)
        self.assertEqual(len(result.stdout), 1024)

    def test_there_is_a_default(self) -> None:
        result = self.assert_status(run(sh="head -c 70M /dev/zero"), 123)
        self.assertEqual(len(result.stdout), 64 << 20)
        self.assertIn("64m", result.err)


class Rlimits(Case):
    """--ulimit, and the limits that nobody asked for."""

    as_user = True

    def test_soft_and_hard(self) -> None:
        script = "ulimit -S -n; ulimit -H -n"
        self.assert_prints("100\n200", run("--ulimit", "nofile=100:200", sh=script))
        self.assert_prints("150\n150", run("--ulimit", "nofile=150", sh=script))

    def test_names(self) -> None:
        names = {"core": 1, "cpu": 77, "fsize": 4096, "stack": 1 << 20, "nofile": 99}
        flags = [f"--ulimit={name}={value}" for name, value in names.items()]
        upper = [f"resource.RLIMIT_{name.upper()}" for name in names]
        script = f"import resource\nfor r in ({','.join(upper)}): print(resource.getrlimit(r)[0])"
        self.assert_prints("\n".join(map(str, names.values())), run(*flags, py=script))

    def test_file_size_is_enforced(self) -> None:
        result = run("--ulimit", "fsize=4096", sh="head -c 9999 /dev/zero > /tmp/f; wc -c < /tmp/f")
        self.assert_prints("4096", result)

    def test_defaults(self) -> None:
        script = """
import resource as r
for name in ("CORE", "NOFILE", "FSIZE", "SIGPENDING", "MEMLOCK", "MSGQUEUE", "RTPRIO", "NICE"):
    print(name, *r.getrlimit(getattr(r, "RLIMIT_" + name)))
"""
        result = self.assert_status(run(py=script))
        limits = {
            line.split()[0]: list(map(int, line.split()[1:])) for line in result.out.splitlines()
        }
        self.assertEqual(limits["CORE"], [1, 1])
        self.assertEqual(limits["RTPRIO"], [0, 0])
        for name in ("NOFILE", "FSIZE", "SIGPENDING"):
            with self.subTest(name=name):
                self.assertGreater(limits[name][1], 0, "bounded")

    def test_timers_and_signals_are_bounded(self) -> None:
        script = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
count = 0
timer = ctypes.c_void_p()
while count < 100000 and libc.timer_create(1, None, ctypes.byref(timer)) == 0:
    count += 1
print(count)
"""
        result = self.assert_status(run(py=script))
        self.assertLess(int(re.findall(r"\d+", result.out)[0]), 20000)
