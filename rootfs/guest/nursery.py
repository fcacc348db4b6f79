"""nursery - the warm Python from which cells are forked. Never runs foreign code.

    python3 nursery.py MODULE,MODULE...

Theory of operation
===================

Descriptor 3 is the supervisor. This process imports the preloads, says in one message
how that went, and then makes a cell per call: cell.so (runtime/inside/cell.c) enters the
new namespaces in a vfork child, which forks the program of the cell: a copy of this
process, in which make() returns. It waits until a request comes, gives up every right,
and becomes what was asked for (program.py).

The preloads come first, before anything that only we need: what is in sys.modules then is
what a program finds there; the rest is hidden from it. Only reseed.py is there before them,
to see who seeds generators of random numbers, and imports nothing.
"""

import os
import sys
import time

import reseed

CALLS = 3
HERE = os.path.dirname(os.path.abspath(__file__))


def preload(names: list[str]) -> str:
    """Import the modules; return why one cannot be, or nothing."""
    for name in names:
        try:
            __import__(name)
        except BaseException as error:  # a preload may raise anything, SystemExit too
            return f"preload {name}: {type(error).__name__}: {error}"
        more = live_threads() - 1
        if more:  # they would not survive the fork, and what waits for them would hang
            threads = f"{more} thread" + "s" * (more > 1)
            return f"preload {name} starts {threads}; set its thread count to 1"
    return ""


def live_threads() -> int:
    """Return how many threads there are; one that has been joined is listed a moment longer."""
    for _ in range(100):
        threads = len(os.listdir("/proc/self/task"))
        if threads == 1:
            break
        time.sleep(0.01)
    return threads


def warm_up() -> None:
    """Use what was imported once, so that what is made on first use is there."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot:
        import io

        figure, axes = pyplot.subplots()
        axes.plot([1, 2], [1, 2])
        figure.savefig(io.BytesIO())
        pyplot.close(figure)
    use_pandas()


def use_pandas() -> None:
    """Take the ways that most programs with tables take."""
    pandas = sys.modules.get("pandas")
    if pandas:
        pandas.DataFrame({"a": [1, 2], "b": [3, 4]}).groupby("a").b.sum().sum()


def settle() -> None:
    """Do once what else each copy would have to, and thereby copy the pages that it takes."""
    import ctypes

    fonts = sys.modules.get("matplotlib.font_manager")
    if fonts:
        fonts._get_font.cache_clear()  # at fork, otherwise: it is a fork handler
    libc = ctypes.PyDLL(None)
    if hasattr(libc, "malloc_trim"):  # glibc: merge what is free, and sort it
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
    problem = preload([name for name in sys.argv[1].split(",") if name])
    if problem:
        report(f"error {problem}")
        sys.exit(1)
    known = set(sys.modules) - {"reseed"}

    import gc
    import signal

    import program
    import scout

    warm_up()
    watch.stop()
    program.OURS.update(set(sys.modules) - known)
    cell = program.Cell(HERE)
    cell.flush(None)  # what a preload printed is nobody's; cells would print it again
    sys.stdout.flush()
    sys.stderr.flush()
    report("ready {}.{}.{}".format(*sys.version_info))
    settle()
    gc.collect()
    program.GENERATORS = reseed.Generators(watch)
    del watch
    gc.freeze()

    every = scout.explore(lambda: program.play(cell))
    many = scout.explore(lambda: (use_pandas(), program.play(cell)))
    cell.populate(every, {page: how for page, how in many.items() if page not in every})
    del every, many
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # pid 1 of a cell is reaped by the kernel
    while cell.make(CALLS):
        pass
    if cell.is_born:
        program.become(cell)


if __name__ == "__main__":
    main()
