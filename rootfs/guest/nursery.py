"""nursery - the warm Python from which cells are forked. Never runs foreign code.

    python3 nursery.py MODULE,MODULE...

Theory of operation
===================

Descriptor 3 is the supervisor. This process imports the preloads, reports in one message
how that went, and then makes a cell per call: cell.so (runtime/inside/cell.c) enters the
new namespaces in a vfork child, which forks the program of the cell: a copy of this
process, in which make() returns. It waits until a request comes, gives up every right,
and becomes what was asked for (program.py).

The preloads come first, before anything that only we need: a program finds the modules that are
in sys.modules then; later ones are hidden from it. Only versions.py, reseed.py and hugepages.py come
before them, to check whether this Python can be warm, to watch who seeds random generators, and to
have objects lie close together; they import nothing.
"""

import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
if HERE not in sys.path:
    sys.path.insert(0, HERE)  # PYTHONSAFEPATH is only there to make such starts cold

import hugepages  # noqa: E402
import reseed  # noqa: E402
import versions  # noqa: E402

CALLS = 3


def why_not_copied() -> str:
    """Return what sitecustomize or a .pth file does at every start and a copy would miss; or nothing."""
    sys.stdout.flush()
    sys.stderr.flush()
    if bytes_written():
        return "its Python says something whenever it starts (sitecustomize, a .pth file)"
    if live_threads() > 1:
        return "its Python starts threads whenever it starts (sitecustomize, a .pth file)"
    return ""


def bytes_written() -> int:
    """Return how much this process has written; 0 if the kernel does not count it."""
    try:
        with open("/proc/self/io", "rb") as file:
            return int(dict(line.split(b":") for line in file)[b"wchar"])
    except OSError:
        return 0


def preload(names: list[str]) -> str:
    """Import the modules; return why one cannot be imported, or nothing."""
    for name in names:
        try:
            __import__(name)
        except BaseException as error:  # a preload may raise anything, SystemExit too
            return f"preload {name}: {type(error).__name__}: {error}"
        more = live_threads() - 1
        if more:  # they would not survive the fork, and code that waits for them would hang
            threads = f"{more} thread" + "s" * (more > 1)
            return f"preload {name} starts {threads}; set its thread count to 1"
    return ""


def live_threads() -> int:
    """Return the number of threads; one that has been joined is still listed for a moment."""
    for _ in range(100):
        threads = len(os.listdir("/proc/self/task"))
        if threads == 1:
            break
        time.sleep(0.01)
    return threads


def warm_up() -> None:
    """Use the imported modules once, so that what is made on first use exists."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot:
        import io

        figure, axes = pyplot.subplots()
        axes.plot([1, 2], [1, 2])
        figure.savefig(io.BytesIO())
        pyplot.close(figure)
    use_pandas()


def use_pandas() -> None:
    """Run the code paths that most programs with tables use."""
    pandas = sys.modules.get("pandas")
    if pandas:
        pandas.DataFrame({"a": [1, 2], "b": [3, 4]}).groupby("a").b.sum().sum()


def settle() -> None:
    """Do once what every copy would have to do, copying the pages for it."""
    import ctypes

    fonts = sys.modules.get("matplotlib.font_manager")
    if fonts:
        fonts._get_font.cache_clear()  # a fork handler, which would run in every copy
    libc = ctypes.PyDLL(None)
    if hasattr(libc, "malloc_trim"):  # glibc: merge and sort what is free
        libc.malloc.restype = ctypes.c_void_p
        libc.malloc_trim(0)
        libc.free(ctypes.c_void_p(libc.malloc(1 << 16)))


def report(text: str) -> None:
    """Tell the supervisor."""
    os.write(CALLS, text.encode())


def main() -> None:
    """Import, report, and make cells until the supervisor is gone."""
    watch = reseed.Watch()
    watch.start()
    problem = versions.why_cold() or why_not_copied()
    if problem:
        report(f"cold {problem}")
        sys.exit(1)
    is_gathered = hugepages.gather()
    problem = preload([name for name in sys.argv[1].split(",") if name])
    if problem:
        report(f"error {problem}")
        sys.exit(1)
    known = set(sys.modules) - {"hugepages", "reseed", "versions"}

    import functools
    import gc
    import signal

    import prefault
    import program

    warm_up()
    watch.stop()
    cell = program.Cell(HERE)
    cell.flush(None)  # otherwise cells would print the preloads' output again
    sys.stdout.flush()
    sys.stderr.flush()
    report("ready {}.{}.{}".format(*sys.version_info))
    settle()
    if is_gathered:
        hugepages.disperse()
    gc.collect()
    program.AUTHORITIES = program.read_authorities()
    program.GENERATORS = reseed.Generators(watch)
    del watch
    program.hide(known)
    gc.freeze()
    program.prepare()

    play = functools.partial(program.play, cell)
    cell.prefault(*prefault.profiles(play, lambda: (use_pandas(), play())))
    hugepages.collapse(cell.madvise)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps pid 1 of a cell
    while cell.make(CALLS):
        pass
    if cell.is_born:
        program.become(cell)


if __name__ == "__main__":
    main()
