"""What a program learns about the size of its sandbox: texts in /proc and /sys, and what libraries make of them."""

import os
from pathlib import Path

from support.case import Case
from support.run import run

READ = """
import json, os, sys
texts = {path: open(path).read() for path in sys.argv[1:] if os.path.exists(path)}
print(json.dumps({"texts": texts, "cpus": os.cpu_count(), "affinity": len(os.sched_getaffinity(0))}))
"""
IS_V2 = Path("/sys/fs/cgroup/cgroup.controllers").exists()
V1 = "/sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/cpu/cpu.cfs_quota_us /sys/fs/cgroup/cpu/cpu.cfs_period_us /sys/fs/cgroup/pids/pids.max"
V2 = "/sys/fs/cgroup/memory.max /sys/fs/cgroup/memory.swap.max /sys/fs/cgroup/cpu.max /sys/fs/cgroup/pids.max"
PROC = [f"/proc/{name}" for name in ("meminfo", "stat", "cpuinfo", "loadavg", "uptime")]


def covers() -> bool:
    """Say whether this kernel lets a mounted /proc be restricted: seen in 6.18, refused in 7.2."""
    return tuple(map(int, os.uname().release.split(".")[:2])) < (6, 19)


class Size(Case):
    """Limits, as files."""

    kernel = ("test_groups", "test_memory_and_swap", "test_nothing_else_appears")

    def read(self, *flags: str, paths: "list[str]" = PROC) -> dict:
        """Return what a program reads."""
        if paths is PROC and not covers():
            self.skipTest("cannot: this kernel restricts no /proc that is mounted")
        return self.assert_status(run(*flags, argv=["python3", "-c", READ, *paths])).json

    def test_memory_and_swap(self) -> None:
        for flags, kib in (("-m", "96m"), 96 << 10), (("-m", "1g", "--memory-swap", "1g"), 1 << 20):
            lines = self.read(*flags)["texts"]["/proc/meminfo"].splitlines()
            found = {line.split(":")[0]: line.split()[1:] for line in lines}
            self.assertEqual([found[name] for name in ("MemTotal", "MemAvailable", "MemFree")], [[str(kib), "kB"]] * 3)
            self.assertEqual(found["SwapTotal"], ["0", "kB"])

    def test_without_a_limit_it_is_the_machine(self) -> None:
        found = self.read("-m", "0", "--cpus", "0", "--pids-limit", "0")
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 10
        self.assertIn(f" {total} kB", found["texts"]["/proc/meminfo"])
        self.assertEqual((found["cpus"], found["affinity"]), (len(os.sched_getaffinity(0)),) * 2)

    def test_cpus(self) -> None:
        """As many are listed as the quota pays for; where a program may run does not change."""
        here = len(os.sched_getaffinity(0))
        for cpus, count in ("0.5", 1), ("1", 1), ("1.5", min(2, here)):
            found = self.read("--cpus", cpus)
            self.assertEqual((found["cpus"], found["affinity"]), (count, here), cpus)
            texts = found["texts"]
            self.assertEqual([texts["/proc/cpuinfo"].count("processor"), texts["/proc/stat"].count("cpu") - 1], [count, count])
        self.assertEqual(self.read("--cpuset-cpus", "1", paths=["/sys/devices/system/cpu/online"])["texts"], {"/sys/devices/system/cpu/online": "1\n"})

    def test_times(self) -> None:
        texts = self.read()["texts"]
        self.assertEqual(texts["/proc/loadavg"], "0.00 0.00 0.00 1/1 1\n")
        up = float(Path("/proc/uptime").read_text().split()[0])
        self.assertLess(abs(float(texts["/proc/uptime"].split()[0]) - up), 60)
        boot = next(line for line in Path("/proc/stat").read_text().splitlines() if line.startswith("btime"))
        mine = next(line for line in texts["/proc/stat"].splitlines() if line.startswith("btime"))
        self.assertLessEqual(abs(int(boot.split()[1]) - int(mine.split()[1])), 1)

    def test_groups(self) -> None:
        """In the form of the hierarchy that /proc/self/cgroup names."""
        paths = (V2 if IS_V2 else V1).split()
        limits = ["-m", "96m", "--cpus", "1.5", "--pids-limit", "20"] if len(os.sched_getaffinity(0)) > 1 else ["-m", "96m", "--cpus", "1", "--pids-limit", "20"]
        quota = int(float(limits[3]) * 100000)
        texts = self.read(*limits, paths=paths)["texts"]
        wanted = [f"{96 << 20}\n", "0\n", f"{quota} 100000\n", "20\n"] if IS_V2 else [f"{96 << 20}\n", f"{quota}\n", "100000\n", "20\n"]
        self.assertEqual([texts[path] for path in paths], wanted)
        texts = self.read("-m", "0", "--cpus", "0", "--pids-limit", "0", paths=paths)["texts"]
        wanted = ["max\n", "0\n", "max 100000\n", "max\n"] if IS_V2 else ["9223372036854771712\n", "-1\n", "100000\n", "max\n"]
        self.assertEqual([texts[path] for path in paths], wanted)

    def test_nothing_else_appears(self) -> None:
        """subset=pid holds: neither a listing nor a name finds more, and the texts cannot be written."""
        if not covers():
            self.skipTest("cannot: this kernel restricts no /proc that is mounted")
        script = "ls -d /proc/[!0-9]*; ls /proc/version /proc/sys /proc/kallsyms /proc/net; echo 1 >/proc/meminfo; echo 1 >/sys/fs/cgroup/x"
        result = run(sh=script)
        self.assertEqual(result.out, "/proc/self\n/proc/thread-self\n")
        self.assertEqual(result.err.count("No such file"), 4, result.err)
        self.assertEqual(result.err.count("Read-only file system"), 2, result.err)

    def test_libraries_are_told(self) -> None:
        env = self.assert_status(run("--cpus", "1", argv=["/usr/bin/env"])).out.splitlines()
        for name in ("PYTHON_CPU_COUNT", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS", "GOMAXPROCS", "OMP_NUM_THREADS"):
            self.assertIn(f"{name}=1", env)
