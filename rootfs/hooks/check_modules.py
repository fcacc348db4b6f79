"""Import what was installed, and what a warm Python is to import in advance, before somebody else does.

Runs inside the new root, at the end of a build: a wheel may need a library that the image has not. Each
module is imported in a process of its own. What lacks another module, or a screen, is said; what lacks a
library, or crashes, ends the build, as does a preload that cannot be copied: one that starts threads.

Names come in GLOVEBOX_APT and GLOVEBOX_PRELOAD. The reason goes to standard output, as fetch_cause.c
reads it: a word, and the culprit.
"""

import importlib.metadata
import os
import re
import resource
import signal
import sys

PATIENCE_S = 120  # a module can take the alarm back: the step has a limit, too (debian_steps.c)
FINE, BAD, THREADS = "012"  # verdicts
LIBRARY = re.compile(r"\.so\b|shared object|undefined symbol|GLIBC")
MODULE = re.compile(r"([A-Za-z]\w*)(?:/__init__\.py|\.py|(?:\.[\w-]+)?\.so)")


def module_of(path: str) -> str:
    """Return the top-level module that a file below a folder of packages begins; nothing: none."""
    found = MODULE.fullmatch(path)
    return found[1] if found and found[1] not in ("test", "tests", "setup", "conftest") else ""


def modules_of_debian(packages: list[str]) -> set[str]:
    """Return the modules of Debian's packages."""
    root = "/usr/lib/python3/dist-packages/"
    found = set()
    for package in packages:
        try:
            with open(f"/var/lib/dpkg/info/{package}.list", encoding="utf-8") as file:
                names = file.read().splitlines()
        except OSError:  # of another architecture, or none of that name
            continue
        found |= {module_of(name[len(root) :]) for name in names if name.startswith(root)}
    return found - {""}


def modules_of_wheels() -> set[str]:
    """Return the modules that pip has installed, with what they need."""
    folder = "/usr/local/lib/python{}.{}/dist-packages".format(*sys.version_info)
    return {module_of(str(file)) for wheel in importlib.metadata.distributions(path=[folder]) for file in wheel.files or ()} - {""}


def imported(name: str, allows_threads: bool) -> int:
    """Import a module; return how many threads it has started."""
    if not allows_threads:
        resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
    __import__(name)
    return len(os.listdir("/proc/self/task")) - 1


def judged(name: str, is_preload: bool, allows_threads: bool) -> tuple[str, str]:
    """Import a module; return a verdict, and what is wrong with it."""
    try:
        threads = imported(name, allows_threads)
    except BaseException as error:  # a module may raise anything
        problem = f"{type(error).__name__}: {error}"
        is_bad = is_preload or bool(isinstance(error, (ImportError, OSError)) and LIBRARY.search(problem))
        return (BAD if is_bad else FINE), problem
    if not is_preload or not threads:
        return FINE, ""
    return THREADS, f"it starts {threads} thread{'s' * (threads > 1)}, which a copy would not have"


def tried(name: str, is_preload: bool, allows_threads: bool = True) -> tuple[bool, str]:
    """Import a module in a process of its own; return whether that must not be, and what went wrong."""
    mine, theirs = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        os.dup2(2, 1)
        signal.alarm(PATIENCE_S)
        verdict, problem = judged(name, is_preload, allows_threads)
        os.write(theirs, f"{verdict}{' '.join(problem.split())[:100]}".encode())
        os._exit(0)
    os.close(theirs)
    with open(mine, "rb") as pipe:
        said = pipe.read().decode(errors="replace")
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    verdict, problem = (said[0], said[1:]) if said else (BAD, f"it ended with status {status}")
    if verdict == THREADS and allows_threads and not tried(name, is_preload, False)[0]:
        return False, ""  # a nursery refuses threads, and the module does without
    return verdict != FINE, problem


def main() -> None:
    """Try all of them; say everything that is wrong, and give the first as the cause."""
    for library in ("OPENBLAS", "OMP", "MKL", "NUMEXPR", "NUMBA"):  # as in a nursery (root/program.c)
        os.environ[f"{library}_NUM_THREADS"] = "1"
    words = {key: os.environ.get(f"GLOVEBOX_{key}", "").split() for key in ("APT", "PRELOAD")}
    modules = modules_of_debian([package for package in words["APT"] if package.startswith("python3-")]) | modules_of_wheels()
    todo = [(name, True) for name in words["PRELOAD"]] + [(name, False) for name in sorted(modules) if name not in words["PRELOAD"]]
    cause = ""
    for name, is_preload in todo:
        print(f"glovebox: importing {name}", file=sys.stderr, flush=True)  # the last one, if it never ends
        is_bad, problem = tried(name, is_preload)
        if problem:
            print(f"glovebox: {'preload' if is_preload else 'import'} {name}: {problem}", file=sys.stderr)
        if is_bad and not cause:
            cause = f"{'preload' if is_preload else 'import'}\n{name}: {problem}"
    if cause:
        print(cause)
        sys.exit(1)


if __name__ == "__main__":
    main()
