"""warm - the same programs with a warm supervisor.

`glovebox run` beside itself with --warm=never; requests from one long-lived process
(tools/bench-warm.c), by phase, beside a plain fork (fork.py); runs per second and the CPU time of
one; memory. Every supervisor has a runtime directory of its own and is stopped at the end.
"""

import contextlib
import dataclasses
import json
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import fork
import serve
import sessions
from measure import Command, Failed, Meter, Sample, children, progress

POOL = 8
BURST = 1000
PARALLEL = (2, 4, 8)
PHASES = ("open", "start", "first", "end", "close")

_SUM = 'import pandas as pd; print(pd.DataFrame({"a": range(1000)}).a.sum())'
_PNG = """
import matplotlib.pyplot as plt
plt.plot([n * n for n in range(100)])
plt.savefig("{folder}/plot.png")
"""
_HELLO = 'print("hi")'
_PRIVATE = """
with open("/proc/self/smaps_rollup") as file:
    print(sum(int(line.split()[1]) for line in file if line.startswith("Private_Dirty")))
"""
# The png of a whole process goes to a folder of the caller, that of a request to the cell's own.
PROGRAMS = {"hello": _HELLO, "sum": _SUM, "png": _PNG}
TITLES = {"hello": 'print("hi")', "sum": "pandas sum of 1,000", "png": "matplotlib png"}
ON_HOST = ("hello",)

# Our targets, beside a plain fork in the same run (targets()).
RUN_OVER_REQUEST_MS = 1.2
P99_OF_MEDIAN = 2.5
SUM_OF_FORK = 0.5
RATE_OF_FORK = 0.5
CPU_OF_FORK = 2
PRIVATE_PAGES = 500
SUPERVISOR_MB, ALL_MB = 6, 110


@dataclasses.dataclass(frozen=True)
class Warm:
    """A supervisor that runs."""

    glovebox: str
    client: str
    image: str
    env: dict[str, str]
    pid: int
    preloads: str

    def run(self, *arguments: str) -> Command:
        return Command((self.glovebox, "run", *arguments), self.env)

    def requests(self, count: int, code: str, *flags: str) -> str:
        """The output of tools/bench-warm.c; with -s the program is one of serve's."""
        command = [self.client, "-n", str(count), *flags, "--", self.image]
        command += [code] if "-s" in flags else ["python3", "-c", code]
        done = subprocess.run(
            command, env=self.env, capture_output=True, text=True, check=False, timeout=600
        )
        if done.returncode and not done.stdout:
            raise Failed(f"bench-warm: {done.stderr.strip()[:300]}")
        return done.stdout


@contextlib.contextmanager
def started(glovebox: str, image: str) -> Iterator[Warm]:
    """A warm supervisor of that image, until the end of the block."""
    folder = tempfile.mkdtemp(prefix="glovebox-bench-")
    env = {**os.environ, "XDG_RUNTIME_DIR": folder}
    try:
        start = [glovebox, "warm", "start", "--image", image, "--pool", str(POOL)]
        subprocess.run(start, env=env, check=True)
        text = subprocess.run(
            [glovebox, "warm", "status", "--json"], env=env, check=True, stdout=subprocess.PIPE, text=True
        ).stdout
        client = str(Path(glovebox).parents[1] / "tools/bench-warm")
        status = json.loads(text)
        yield Warm(glovebox, client, image, env, status["pid"], status["preload"])
    finally:
        subprocess.run([glovebox, "warm", "stop"], env=env, check=False, capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)


def _spread(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {
        "median": statistics.median(ordered),
        "min": ordered[0],
        "p99": ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)],
        "runs": len(ordered),
    }


def _of_samples(samples: list[Sample]) -> dict[str, float]:
    return _spread([sample.wall for sample in samples])


# -- what is measured ----------------------------------------------------------------------


def measure_runs(warm: Warm, row: str, meter: Meter, count: int) -> dict[str, object]:
    """(a) whole processes, warm beside cold, back to back and 100 ms apart."""
    with tempfile.TemporaryDirectory(prefix="glovebox-bench-") as output:
        os.chmod(output, 0o777)
        volume = ("-v", f"{output}:/output") if row == "png" else ()
        code = PROGRAMS[row].replace("{folder}", "/output")
        commands = {
            kind: warm.run(f"--warm={kind}", *volume, warm.image, "python3", "-c", code)
            for kind in ("require", "never")
        }
        result: dict[str, object] = {}
        for mode, pause in (("back_to_back", 0.0), ("spaced", 0.1)):
            times = meter.rounds(commands, count, pause, 2)
            result[mode] = {
                "warm": _of_samples(times["require"]),
                "cold": _of_samples(times["never"]),
            }
    return result


def _one_by_one(warm: Warm, count: int, code: str, *flags: str) -> list[dict[str, int]]:
    """Nanoseconds by phase of each request, 50 ms apart."""
    names, *lines = (line.split() for line in warm.requests(count, code, "-p", "50", *flags).splitlines())
    return [dict(zip(names, map(int, line))) for line in lines]


def measure_requests(warm: Warm, row: str, count: int) -> dict[str, object]:
    """(b) request to answer, without the start of a process, 50 ms apart: a cell is ready."""
    rows = _one_by_one(warm, count, PROGRAMS[row].replace("{folder}", "/tmp"))
    phases = {name: statistics.median(row[name] for row in rows) / 1e6 for name in PHASES}
    total = _spread([sum(row[name] for name in PHASES) / 1e6 for row in rows])
    faults = statistics.median(row["faults"] for row in rows)
    return {"total": total, "phases": phases, "client_faults": faults}


def _together(warm: Warm, each: int, parallel: int, *flags: str) -> tuple[int, int, float]:
    """Requests, how many failed, seconds."""
    text = warm.requests(each, _HELLO, "-j", str(parallel), *flags)
    count, failed, took = (int(word) for word in text.split())
    return count, failed, took / 1e9


def measure_rates(warm: Warm, count: int) -> dict[str, float]:
    """(c) hello per second, a fresh cell for each."""
    rates = {}
    for parallel in PARALLEL:
        done, failed, took = _together(warm, count // parallel, parallel)
        if failed:
            raise Failed(f"{failed} of {done} warm runs failed")
        rates[str(parallel)] = done / took
    return rates


def _busy_s() -> float:
    """Seconds that all CPUs have worked for anybody (proc(5), stat)."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, _, _, irq, softirq = (int(word) for word in file.readline().split()[1:8])
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


def measure_serve(warm: Warm, quick: bool) -> dict:
    """(e) the same requests, over HTTP."""

    def plain(count: int) -> list[float]:
        rows = _one_by_one(warm, count, _HELLO, "-s")
        return [sum(row[name] for name in PHASES) / 1e6 for row in rows]

    def plain_rate(count: int) -> float:
        done, failed, took = _together(warm, count // 2, 2, "-s")
        if failed:
            raise Failed(f"{failed} of {done} warm runs failed")
        return done / took

    return serve.measure(warm.glovebox, warm.image, warm.env, plain, plain_rate, quick)


def measure_cpu(warm: Warm, count: int) -> float:
    """ms of CPU time that a run costs the machine, two at a time; the kernel's later work as well."""
    before = _busy_s()
    done, _, _ = _together(warm, count // 2, 2)
    time.sleep(0.5)
    return (_busy_s() - before) * 1e3 / done


def measure_private(warm: Warm, count: int) -> float:
    """Pages that a program has to itself when it starts, in a cell that was not idle before."""
    command = warm.run("--warm=require", warm.image, "python3", "-c", _PRIVATE)
    found = [subprocess.check_output(command.argv, env=command.env) for _ in range(count)]
    return min(int(text) for text in found) * 1024 / os.sysconf("SC_PAGE_SIZE")


def measure_burst(warm: Warm, count: int) -> dict[str, float]:
    """(d) as many clients at once, one request each."""
    done, failed, took = _together(warm, 1, count)
    return {"requests": done, "failed": failed, "seconds": took}


def _memory_mb(pid: int) -> dict[str, float]:
    text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    kb = {name: int(value) for name, value in re.findall(r"^(\w+):\s+(\d+) kB", text, re.M)}
    private = kb["Private_Clean"] + kb["Private_Dirty"]
    parts = {"rss": kb["Rss"], "pss": kb["Pss"], "private": private}
    return {name: value * 1024 / 1e6 for name, value in parts.items()}


def measure_memory(warm: Warm) -> dict[str, object]:
    """(d) the supervisor > pid 1 > the nursery, and beside it pid 1 of a cell > its program."""
    time.sleep(1)  # until the new cells are idle
    init = children(warm.pid)[0]
    nursery, *inits = children(init)
    found = {"supervisor": _memory_mb(warm.pid), "nursery": _memory_mb(nursery)}
    cells = [children(pid)[0] for pid in inits if children(pid)]
    parts = [_memory_mb(pid) for pid in cells]
    cell = {name: statistics.median(part[name] for part in parts) for name in parts[0]}
    return found | {"cell": cell, "cells": len(cells)}


def measure(
    glovebox: str, roots: dict[str, Command], meter: Meter, quick: bool
) -> dict[str, object]:
    """Image > what > figures; `roots` has for each image a command that enters its root."""
    result: dict[str, object] = {}
    count, rate_count, burst = (5, 24, 50) if quick else (50, 400, BURST)
    for image, root in roots.items():
        with started(glovebox, image) as warm:
            found: dict[str, object] = {"runs": {}, "requests": {}}
            for row in ON_HOST if image == "host" else PROGRAMS:
                with progress(f"{image}, warm, {TITLES[row]}"):
                    found["runs"][row] = measure_runs(warm, row, meter, count)
                    found["requests"][row] = measure_requests(warm, row, 2 * count)
            codes = {row: PROGRAMS[row].replace("{folder}", "/tmp") for row in found["requests"]}
            with progress(f"{image}, plain fork"):
                found["fork"] = fork.measure(root, warm.preloads, codes, count, rate_count, meter)
            with progress(f"{image}, warm, memory, in parallel, burst"):
                found["private_pages"] = measure_private(warm, 3 * POOL)
                found["cpu_ms"] = measure_cpu(warm, rate_count)
                found["memory"] = measure_memory(warm)
                found["rates"] = measure_rates(warm, rate_count)
                found["burst"] = measure_burst(warm, burst)
            with progress(f"{image}, serve"):
                found["serve"] = measure_serve(warm, quick)
            with progress(f"{image}, sessions"):
                found["sessions"] = sessions.measure(glovebox, image, warm.env, warm.pid, quick)
            result[image] = found
    return result


# -- what is reported ----------------------------------------------------------------------


def targets(result: dict) -> Iterator[tuple[str, float, float, str, bool]]:
    """Text, value, limit, unit, and whether the limit is a maximum."""
    for image, found in result.items():
        yield from _beside_fork(image, found)
        memory = found["memory"]
        resident = memory["supervisor"]["rss"]
        yield f"warm supervisor, {image}", resident, SUPERVISOR_MB, "MB", True
        yield f"with its nursery, {image}", resident + memory["nursery"]["rss"], ALL_MB, "MB", True
        text = f"failed of {found['burst']['requests']} at once, {image}"
        yield text, found["burst"]["failed"], 0, "", True
        yield from sessions.targets(image, found["sessions"])
        yield from serve.targets(image, found["serve"])


def _beside_fork(image: str, found: dict) -> Iterator[tuple[str, float, float, str, bool]]:
    """The targets that a plain fork sets. With preloads its fork is left out: ours is made before."""
    rate = found["fork"]["rate"]
    for row, request in found["requests"].items():
        text, plain, total = f"warm request, {TITLES[row]}, {image}", found["fork"][row], request["total"]
        if row == "sum":
            yield text, total["median"], SUM_OF_FORK * plain["reaped"], "ms", True
        if row == "hello":
            limit = plain["reaped"] - (plain["fork"] if image != "host" else 0)
            yield text, total["median"], limit, "ms", True
            yield f"{text}, p99", total["p99"], P99_OF_MEDIAN * total["median"], "ms", True
            run = found["runs"][row]["spaced"]["warm"]["median"]
            limit = total["median"] + RUN_OVER_REQUEST_MS
            yield f"warm run, {TITLES[row]}, {image}", run, limit, "ms", True
    text = f"warm runs per second, {image}, 2 at a time"
    yield text, found["rates"]["2"], RATE_OF_FORK * rate["per_second"], "", False
    yield f"CPU per warm run, {image}", found["cpu_ms"], CPU_OF_FORK * rate["cpu_ms"], "ms", True
    yield f"private pages, {image}", found["private_pages"], PRIVATE_PAGES, "", True


def _fork_lines(found: dict) -> list[str]:
    """A plain fork, without a sandbox."""
    names = ("fork", "first", "reaped", "faults")
    lines = ["", "| plain fork, ms | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    for row in found["requests"]:
        plain = found["fork"][row]
        texts = [f"{plain[name]:.2f}" for name in names[:-1]] + [f"{plain['faults']:.0f}"]
        lines.append(f"| {TITLES[row]} | " + " | ".join(texts) + " |")
    rate = found["fork"]["rate"]
    return lines + [
        "",
        f"- plain fork, 2 at a time: {rate['per_second']:.0f} a second, {rate['cpu_ms']:.1f} ms of CPU each",
        f"- warm, 2 at a time: {found['rates']['2']:.0f} a second, {found['cpu_ms']:.1f} ms of CPU each; "
        f"{found['private_pages']:.0f} private pages as the program starts",
    ]


def _image_lines(image: str, found: dict) -> list[str]:
    lines = [f"### {image}", "", "| whole process, ms | warm | p99 | cold | p99 |"]
    lines.append("|---" * 5 + "|")
    for row, modes in found["runs"].items():
        for mode, cells in modes.items():
            texts = [
                f"{cells[kind][key]:.1f}" for kind in ("warm", "cold") for key in ("median", "p99")
            ]
            title = f"{TITLES[row]}, {mode.replace('_', ' ')}"
            lines.append(f"| {title} | " + " | ".join(texts) + " |")
    names = ("total", "p99", *PHASES)
    lines += ["", "| request, ms | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    for row, cell in found["requests"].items():
        values = [cell["total"]["median"], cell["total"]["p99"], *cell["phases"].values()]
        lines.append(f"| {TITLES[row]} | " + " | ".join(f"{v:.2f}" for v in values) + " |")
    rates = ", ".join(f"{rate:.0f} with {n}" for n, rate in found["rates"].items())
    memory, burst = found["memory"], found["burst"]
    kinds = ("rss", "pss", "private")
    parts = ", ".join(
        f"{name} " + " / ".join(f"{memory[name][kind]:.1f}" for kind in kinds)
        for name in ("supervisor", "nursery", "cell")
    )
    return lines + [
        *_fork_lines(found),
        f"- runs per second, clients at a time: {rates}",
        f"- {burst['requests']} requests at once: {burst['seconds']:.1f} s, "
        f"{burst['failed']} failed",
        f"- memory in MB, resident / shared fairly / private: {parts}",
        "",
        *sessions.table(found["sessions"]),
        "",
        *serve.table(found["serve"]),
        "",
    ]


def table(result: dict) -> list[str]:
    """Lines of Markdown."""
    lines = [
        "## Warm",
        "",
        "Medians. A request is made by a process that runs already, 50 ms after the last: until",
        "the whole output and the exit status are there and everything is cleaned up.",
        "",
    ]
    for image, found in result.items():
        lines += _image_lines(image, found)
    return lines
