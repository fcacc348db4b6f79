"""disturber - make and remove things of a machine, as others do while the tests run beside them.

    python3 tests/support/disturber.py [--busy] [--stall] [SECONDS]   as root; default: until killed

Mounts, network namespaces, control groups, processes and files of its own come and go, many times a
second, and now and then one stays for a while; --busy also keeps every CPU in a loop. No test may fail
for that: they look at what is theirs. All is gone when it ends, but for what SIGKILL leaves in its
directory.

--stall has one CPU or all of them stand still for some seconds, about a tenth of the time, as a
hypervisor does that has others to serve. What does it has a real-time priority, so the kernel leaves
everybody else a twentieth of the CPU (sched_rt_runtime_us; the fair server since Linux 6.12), and no
setting of the machine changes.
"""

import argparse
import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

GROUPS = Path("/sys/fs/cgroup")
NAME = "disturber"
MOST = 12  # of a kind, at a time


def run(*command: str) -> None:
    """Run a command that may fail: what it acts on is in use, or gone."""
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


class Things:
    """Some of one kind; step() makes one or removes one."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.there: list[str] = []
        self.made = 0

    def step(self) -> None:
        """Make one more, or remove any."""
        if len(self.there) < MOST and random.random() < 0.5 or not self.there:
            self.made += 1
            self.there.append(self.make(f"{NAME}-{os.getpid()}-{self.made}"))
        else:
            self.remove(self.there.pop(random.randrange(len(self.there))))

    def end(self) -> None:
        """Remove all."""
        while self.there:
            self.remove(self.there.pop())

    def make(self, name: str) -> str:
        """Make one; return what remove() needs."""
        raise NotImplementedError

    def remove(self, thing: str) -> None:
        """Remove one."""
        raise NotImplementedError


class Mounts(Things):
    """File systems in the host's namespace."""

    def make(self, name: str) -> str:
        place = self.top / name
        place.mkdir()
        run("mount", "-t", "tmpfs", "-o", "size=64k", name, str(place))
        return str(place)

    def remove(self, thing: str) -> None:
        run("umount", "-l", thing)
        with contextlib.suppress(OSError):
            os.rmdir(thing)


class Groups(Things):
    """Control groups beside those of glovebox, in every hierarchy."""

    def make(self, name: str) -> str:
        tops = [GROUPS] if (GROUPS / "cgroup.procs").exists() else GROUPS.iterdir()
        for top in tops:
            with contextlib.suppress(OSError):
                (top / name).mkdir()
        return name

    def remove(self, thing: str) -> None:
        for place in (GROUPS / thing, *GROUPS.glob(f"*/{thing}")):
            with contextlib.suppress(OSError):
                place.rmdir()


class Processes(Things):
    """Processes; some in namespaces of their own."""

    prefix: tuple[str, ...] = ()

    def make(self, name: str) -> str:
        sleep = [*self.prefix, sys.executable, "-S", "-c", "import time; time.sleep(100)", name]
        streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return str(subprocess.Popen(sleep, stdin=subprocess.DEVNULL, **streams).pid)

    def remove(self, thing: str) -> None:
        os.kill(int(thing), signal.SIGKILL)
        os.waitpid(int(thing), 0)


class NetworkNamespaces(Processes):
    """Those of processes, as a container's are."""

    prefix = ("unshare", "--net", "--ipc", "--mount")


class Files(Things):
    """Where programs share memory."""

    def make(self, name: str) -> str:
        place = Path("/dev/shm") / name
        place.write_bytes(bytes(1000))
        return str(place)

    def remove(self, thing: str) -> None:
        os.unlink(thing)


class Stalls:
    """CPUs that stand still now and then."""

    seconds = (2.0, 7.0)
    share = 0.1

    def __init__(self) -> None:
        self.next = time.monotonic() + 5

    def step(self) -> None:
        """Begin to stall one CPU or all, when its time has come; each ends by itself."""
        if time.monotonic() < self.next:
            return
        length = random.uniform(*self.seconds)
        cpus = sorted(os.sched_getaffinity(0))
        chosen = random.choice([cpus, [random.choice(cpus)]])
        begin = time.monotonic() + 0.2  # when all of them are there
        pids = [self.stall(cpu, begin, begin + length) for cpu in chosen]
        for pid in pids:
            os.waitpid(pid, 0)
        print(f"stalled {chosen} for {length:.1f} s", flush=True)
        self.next = time.monotonic() + random.uniform(0.5, 1.5) * length / self.share

    @staticmethod
    def stall(cpu: int, begin: float, end: float) -> int:
        """Start a process that keeps a CPU to itself for a while."""
        if pid := os.fork():
            return pid
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        os.sched_setaffinity(0, {cpu})
        time.sleep(max(begin - time.monotonic(), 0))
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
        while time.monotonic() < end:
            pass
        os._exit(0)


def main() -> int:
    """Disturb until the time is over or a signal comes."""
    parser = argparse.ArgumentParser(description="Make and remove things beside the tests.")
    parser.add_argument("--busy", action="store_true", help="keep every CPU in a loop")
    parser.add_argument("--stall", action="store_true", help="have CPUs stand still now and then")
    parser.add_argument("seconds", nargs="?", type=float, default=float("inf"))
    args = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(0))
    top = Path(tempfile.mkdtemp(prefix=f"{NAME}-"))
    kinds = [kind(top) for kind in (Mounts, Groups, Processes, NetworkNamespaces, Files)]
    loop = [sys.executable, "-S", "-c", "while True: pass"]
    busy = [subprocess.Popen(loop) for _ in range((os.cpu_count() or 1) * args.busy)]
    stalls = Stalls() if args.stall else None
    end = time.monotonic() + args.seconds
    try:
        while time.monotonic() < end:
            random.choice(kinds).step()
            if stalls:
                stalls.step()
            time.sleep(0.01)
    finally:
        for process in busy:
            process.kill()
        for things in kinds:
            things.end()
        shutil.rmtree(top, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
