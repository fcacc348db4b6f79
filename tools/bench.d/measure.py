"""measure - start processes, wait for them, and summarise how long it took.

One posix_spawn and one wait4 between two looks at CLOCK_MONOTONIC: no shell, no
threads, no fork of a big Python.
"""

import contextlib
import ctypes
import dataclasses
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

CLONE_NEWNS = 0x00020000
CLONE_NEWUSER = 0x10000000
MS_REC_PRIVATE = 0x4000 | 1 << 18
MNT_DETACH = 2
UNIFIED = "/sys/fs/cgroup/unified"


class Failed(Exception):
    """A measured command did not end with status 0."""


class Sample(NamedTuple):
    """Milliseconds of one run: by the clock, and of the CPU (what the run itself reaped)."""

    wall: float
    cpu: float


@dataclasses.dataclass(frozen=True)
class Command:
    """A command line, and whether the worker with its own mounts starts it."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    private: bool = False


def spawn(argv: Sequence[str], env: Mapping[str, str]) -> int:
    """Start a program with its output discarded (errors are kept) and return its pid."""
    discard = [(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)]
    return os.posix_spawn(argv[0], argv, dict(env), file_actions=discard)


def run_ms(argv: Sequence[str], env: Mapping[str, str]) -> tuple[float, float]:
    """Milliseconds from before the start of a program until it is reaped; and of CPU time."""
    start = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    pid = spawn(argv, env)
    _, status, usage = os.wait4(pid, 0)
    took = time.clock_gettime_ns(time.CLOCK_MONOTONIC) - start
    if status:
        raise Failed(f"status {os.waitstatus_to_exitcode(status)}: {' '.join(argv)[:300]}")
    return took / 1e6, (usage.ru_utime + usage.ru_stime) * 1e3


def runs_per_second(
    argv: Sequence[str], env: Mapping[str, str], parallel: int, count: int
) -> float:
    """Keep `parallel` runs going until `count` have ended."""
    start = time.monotonic()
    running = started = 0
    while started < count or running:
        while running < parallel and started < count:
            spawn(argv, env)
            running, started = running + 1, started + 1
        _, status = os.wait()
        running -= 1
        if status:
            raise Failed(f"status {os.waitstatus_to_exitcode(status)}: {' '.join(argv)[:300]}")
    return count / (time.monotonic() - start)


def output(argv: Sequence[str], env: Mapping[str, str]) -> str:
    """What a program prints."""
    done = subprocess.run(argv, env=dict(env), stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise Failed(f"status {done.returncode}: {' '.join(argv)[:300]}")
    return done.stdout


CALLS = {"run_ms": run_ms, "runs_per_second": runs_per_second, "output": output}


def children(pid: int) -> list[int]:
    """Return the processes that a process has started, the oldest first as the kernel lists them.

    Sorted by age, not by number, since numbers restart at pid_max.
    """
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except FileNotFoundError:
        return []


def _syscall(name: str, *args: object) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*args):
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")


def _enter_private_mounts(scratch: str | None) -> None:
    """Leave the shared mounts, as root or in a user namespace, and put a tmpfs on `scratch`.

    crun takes a hybrid host for cgroup v1 only if it cannot see the v2 half.
    """
    uid, gid = os.geteuid(), os.getegid()
    _syscall("unshare", CLONE_NEWNS | (CLONE_NEWUSER if uid else 0))
    if uid:
        for name, text in (
            ("setgroups", "deny"),
            ("uid_map", f"0 {uid} 1"),
            ("gid_map", f"0 {gid} 1"),
        ):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)
    _syscall("mount", None, b"/", None, ctypes.c_ulong(MS_REC_PRIVATE), None)
    if scratch:
        _syscall("mount", b"tmpfs", scratch.encode(), b"tmpfs", ctypes.c_ulong(0), b"mode=1777")
    if uid == 0 and os.path.ismount(UNIFIED):
        _syscall("umount2", UNIFIED.encode(), MNT_DETACH)


class Worker:
    """A process that measures with mounts of its own.

    It may chroot and sees an empty /tmp in the image. Its mounts end with it.
    """

    def __init__(self, scratch: str | None) -> None:
        request, self._requests = os.pipe()
        self._answers, answer = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            os.close(self._requests)
            self._serve(request, answer, scratch)
        os.close(request)
        os.close(answer)
        self._lines = os.fdopen(self._answers, encoding="utf-8")

    @staticmethod
    def _serve(request: int, answer: int, scratch: str | None) -> None:
        try:
            _enter_private_mounts(scratch)
            with os.fdopen(request, encoding="utf-8") as lines:
                for line in lines:
                    name, args = json.loads(line)
                    try:
                        reply: object = {"value": CALLS[name](*args)}
                    except (Failed, OSError) as error:
                        reply = {"error": str(error)}
                    os.write(answer, (json.dumps(reply) + "\n").encode())
        except (OSError, KeyboardInterrupt) as error:
            os.write(
                answer, (json.dumps({"error": f"the worker cannot start: {error}"}) + "\n").encode()
            )
        finally:
            os._exit(0)

    def call(self, name: str, *args: object) -> object:
        os.write(self._requests, (json.dumps([name, args]) + "\n").encode())
        reply = json.loads(self._lines.readline() or '{"error": "the worker is gone"}')
        if "error" in reply:
            raise Failed(reply["error"])
        return reply["value"]

    def close(self) -> None:
        os.close(self._requests)
        os.waitpid(self._pid, 0)


class Meter:
    """Measures commands, here or in the worker."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker

    def _call(self, name: str, command: Command, *args: object) -> object:
        if command.private:
            return self._worker.call(name, command.argv, dict(command.env), *args)
        return CALLS[name](command.argv, command.env, *args)  # type: ignore[operator]

    def run_ms(self, command: Command) -> Sample:
        return Sample(*self._call("run_ms", command))  # type: ignore[misc]

    def output(self, command: Command) -> str:
        return str(self._call("output", command))

    def runs_per_second(self, command: Command, parallel: int, count: int) -> float:
        rate = self._call("runs_per_second", command, parallel, count)
        return float(rate)  # type: ignore[arg-type]

    def rounds(
        self, commands: Mapping[str, Command], count: int, pause_s: float, warm: int
    ) -> dict[str, list[Sample]]:
        """`count` runs of each, alternating, so that noise hits all alike.

        Each round begins with another command, so that each follows every other.
        """
        names = list(commands)
        times: dict[str, list[Sample]] = {name: [] for name in names}
        for n in range(-warm, count):
            first = n % len(names)
            for name in names[first:] + names[:first]:
                if pause_s and n >= 0:
                    time.sleep(pause_s)
                took = self.run_ms(commands[name])
                if n >= 0:
                    times[name].append(took)
        return times


def summary(samples: Sequence[Sample], floor: Sequence[Sample] | None) -> dict[str, float]:
    """Medians and the minimum, and how they relate to the floor of the same rounds."""
    walls = [sample.wall for sample in samples]
    cpu = statistics.median(sample.cpu for sample in samples)
    result = {"median": statistics.median(walls), "min": min(walls), "cpu": cpu, "runs": len(walls)}
    if floor:
        result["ratio"] = result["median"] / statistics.median(sample.wall for sample in floor)
        result["excess"] = statistics.median(a.wall - b.wall for a, b in zip(samples, floor))
        result["excess_min"] = min(walls) - min(sample.wall for sample in floor)
        result["excess_cpu"] = statistics.median(a.cpu - b.cpu for a, b in zip(samples, floor))
    return result


@contextlib.contextmanager
def progress(text: str) -> Iterator[None]:
    """Report on stderr what is being done, and how long it took."""
    start = time.monotonic()
    print(f"{text} ...", end="", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        print(f" {time.monotonic() - start:.0f} s", file=sys.stderr)
