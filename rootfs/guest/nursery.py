"""nursery - the warm Python from which cells are forked. Never runs foreign code.

    python3 nursery.py MODULE,MODULE... [WHAT-IS-LEFT-OUT...]

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

What a fork does not copy
-------------------------

- Threads are lost.
- Memory that is mapped shared (MAP_SHARED, System V) would be one for all cells. It is not made
  private instead: the processes that one program forks share it in a cold start, and without it a
  multiprocessing.Lock would hold back nobody. No module of Python, numpy, pandas or matplotlib
  keeps any when it is imported.
- A descriptor shares the open file, and so its offset, an eventfd's count, a pipe's and a socket's
  queue. The program of a cell closes all of them before it reads a byte of the caller's code
  (runtime/inside/close_fds.c). A memfd is memory only where it is mapped.

So a Python that leaves threads or such memory is refused. A preload that does is left out, as is one that fails: it
has left its traces by then, so the nursery begins anew without it, and says so in the end.
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
PYTHON = sys.executable
LONGEST = 200  # characters of a line about a preload: it is a stranger's, and the supervisor keeps 1,023 bytes of all


def why_not_copied() -> str:
    """Return what sitecustomize or a .pth file does at every start and a copy would miss; or nothing."""
    sys.stdout.flush()
    sys.stderr.flush()
    if bytes_written():
        return "its Python says something whenever it starts (sitecustomize, a .pth file)"
    if live_threads() > 1:
        return "its Python starts threads whenever it starts (sitecustomize, a .pth file)"
    memory = shared_memory()
    if memory:
        return f"its Python keeps memory that all cells would share whenever it starts: {memory}"
    return ""


def bytes_written() -> int:
    """Return how much this process has written; 0 if the kernel does not count it."""
    try:
        with open("/proc/self/io", "rb") as file:
            return int(dict(line.split(b":") for line in file)[b"wchar"])
    except OSError:
        return 0


class Missing(Exception):
    """There is no module of that name."""


def preload(names: list[str]) -> tuple[str, str]:
    """Import the modules; return the first that no copy can have, and why."""
    for name in names:
        try:
            __import__(name)
        except BaseException as error:  # a preload may raise anything, SystemExit too
            why = f"{type(error).__name__}: {text_of(error)}"
            if type(error) is ModuleNotFoundError and error.name and f"{name}.".startswith(f"{error.name}."):
                raise Missing(f"preload {name}: {why}") from None
            return name, why
        more = live_threads() - 1
        if more:  # they would not survive the fork, and code that waits for them would hang
            threads = f"{more} thread" + "s" * (more > 1)
            return name, f"it starts {threads}; set its thread count to 1"
        memory = shared_memory()
        if memory:
            return name, f"it keeps memory that all cells would share: {memory}"
    return "", ""


def begin_without(name: str, why: str, names: list[str], left_out: list[str]) -> None:
    """Begin anew, in the environment of the start: what a module leaves would be in every copy. Does not return."""
    rest = ",".join(other for other in names if other != name)
    with open("/proc/self/environ", "rb") as file:
        variables = file.read().split(b"\0")[:-1]
    environment = dict(variable.partition(b"=")[::2] for variable in variables)
    os.execve(PYTHON, [PYTHON, __file__, rest, *left_out, line(f"{name}: {why}")], environment)


def text_of(error: BaseException) -> str:
    """Return what an exception says: its class may be a preload's own."""
    try:
        return str(error)
    except BaseException:
        return "its text cannot be had"


def line(text: str) -> str:
    """Return a preload's words as a line that is safe as an argument, in a message and on a terminal."""
    words = " ".join(text[: 2 * LONGEST].split())
    return "".join(c if c.isprintable() else "?" for c in words[:LONGEST])


def live_threads() -> int:
    """Return the number of threads; one that has been joined is still listed for a moment."""
    for _ in range(100):
        threads = len(os.listdir("/proc/self/task"))
        if threads == 1:
            break
        time.sleep(0.01)
    return threads


def shared_memory() -> str:
    """Return the kernel's name of a mapping that is shared and that somebody could write to, or nothing.

    What counts is how the file was opened (man 5 proc, map_files), for anonymous memory too: a mapping
    that is read-only now can be made writable (mprotect(2)). libc keeps a file of the system's,
    opened for reading (gconv-modules.cache). smaps tells the same, but takes 0.2 s beside large preloads.
    """
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
        for line in file:
            span, rights, _, _, _, *name = line.split(None, 5)
            if rights[3] == "s" and is_open_for_writing(span):
                return name[0].strip() if name else "without a name"
    return ""


def is_open_for_writing(span: str) -> bool:
    """Tell of the file that is mapped there; what the kernel does not tell counts as such."""
    start, end = (int(number, 16) for number in span.split("-"))
    try:
        return bool(os.lstat(f"/proc/self/map_files/{start:x}-{end:x}").st_mode & 0o200)
    except OSError:
        return True


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
    names, left_out = [name for name in sys.argv[1].split(",") if name], sys.argv[2:]
    problem = versions.why_cold()
    if not left_out:  # the kernel counts what this process has written since its first program
        problem = problem or why_not_copied()
    if problem:
        report(f"cold {problem}")
        sys.exit(1)
    is_gathered = hugepages.gather()
    try:
        name, why = preload(names)
    except Missing as error:
        report(f"error {line(str(error))}")
        sys.exit(1)
    if name:
        begin_without(name, why, names, left_out)
    known = set(sys.modules) - {"hugepages", "reseed", "versions"}

    import functools
    import gc
    import signal

    import immortal
    import prefault
    import program

    warm_up()
    watch.stop()
    cell = program.Cell(HERE)
    cell.flush(None)  # otherwise cells would print the preloads' output again
    sys.stdout.flush()
    sys.stderr.flush()
    memory = shared_memory()
    if memory:
        report(f"error the preloads keep memory that all cells would share once they are used: {memory}")
        sys.exit(1)
    report("\n".join(["ready {}.{}.{}".format(*sys.version_info), *left_out]))
    settle()
    if is_gathered:
        hugepages.disperse()
    gc.collect()
    program.AUTHORITIES = program.read_authorities()
    program.GENERATORS = reseed.Generators(watch)
    del watch
    immortal.make()
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
