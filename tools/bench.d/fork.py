"""fork - the floor of a warm run: a Python with the same preloads that forks, with no sandbox.

SCRIPT runs in the image's root. Each copy runs the code as `python -c` would, ends as an interpreter
does before it frees what it has, and is reaped. CPU time is what the kernel counts for these
processes.
"""

import json
from collections.abc import Sequence

from measure import Command, Meter

Found = dict[str, float]

SCRIPT = """
import json, os, sys
preloads, codes, count, together = json.loads(sys.argv[1])
for name in preloads:
    __import__(name)
import atexit, gc, io, resource, statistics, threading, time
pyplot, pandas = map(sys.modules.get, ("matplotlib.pyplot", "pandas"))
if pyplot:  # as a nursery, use it all once
    figure, axes = pyplot.subplots()
    axes.plot([1, 2], [1, 2])
    figure.savefig(io.BytesIO())
    pyplot.close(figure)
if pandas:
    pandas.DataFrame({"a": [1, 2], "b": [3, 4]}).groupby("a").b.sum().sum()
gc.collect()
gc.freeze()

def fork(code, out):
    pid = os.fork()
    if pid == 0:
        os.dup2(out, 1)
        os.close(out)
        exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})
        sys.stdout.flush()
        threading._shutdown()
        atexit._run_exitfuncs()
        sys.stdout.flush()
        gc.collect()
        os._exit(0)
    return pid

def reap(pid):
    _, status, used = os.wait4(pid, 0)
    if status:
        sys.exit(f"a copy ended with {status}")
    return used

def timed(code):
    time.sleep(0.05)
    ours, theirs = os.pipe()
    at = [time.monotonic()]
    pid = fork(code, theirs)
    at.append(time.monotonic())
    os.close(theirs)
    os.read(ours, 1)
    at.append(time.monotonic())
    faults = reap(pid).ru_minflt
    at.append(time.monotonic())
    os.close(ours)
    return [1e3 * (t - at[0]) for t in at[1:]] + [faults]

def cpu_s():
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(u.ru_utime + u.ru_stime for u in used)

def rate(code):
    nowhere = os.memfd_create("output")
    began, used = time.monotonic(), cpu_s()
    other = os.fork()
    for _ in range(together // 2):
        reap(fork(code, nowhere))
    if other == 0:
        os._exit(0)
    reap(other)
    took = time.monotonic() - began
    return {"per_second": together / took, "cpu_ms": 1e3 * (cpu_s() - used) / together}

names = ("fork", "first", "reaped", "faults")
medians = [map(statistics.median, zip(*(timed(code) for _ in range(count)))) for code in codes]
print(json.dumps([rate(codes[0]), *(dict(zip(names, found)) for found in medians)]))
"""


def measure(
    command: Command, preloads: str, programs: dict[str, str], count: int, together: int, meter: Meter
) -> dict[str, Found]:
    """Each program > ms from the fork to its return, to the first output and to the end, and faults.

    "rate" > copies of the first one per second, two at a time, and ms of CPU time for each.
    """
    names = [name for name in preloads.split(",") if name]
    request = json.dumps([names, list(programs.values()), count, together])
    argv: Sequence[str] = (*command.argv, "python3", "-E", "-s", "-c", SCRIPT, request)
    found = json.loads(meter.output(Command(tuple(argv), command.env, command.private)))
    return dict(zip(("rate", *programs), found))
