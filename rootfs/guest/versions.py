"""versions - what differs from one CPython to another, as far as a warm start must know.

A warm start does itself what python(1) does before a program runs. What changed there between
versions is here, and nowhere else, except for functions of the C API: see interpreter.c.
"""

import os
import sys

OLDEST, NEWEST = (3, 9), (3, 14)  # those whose start has been compared, source by source

# the first version with it, and where it is in CPython
CHANGES = {
    # sys.orig_argv is there
    "orig_argv": ((3, 10), "Python/sysmodule.c"),
    # a thread's tracer can be told to wait (PyThreadState_EnterTracing)
    "pauses tracers": ((3, 11), "Python/pystate.c; before: PyThreadState.tracing, TRACING_AT"),
    # what the text of -c was is told to linecache, so that tracebacks show it
    "remembers -c": ((3, 13), "Python/pythonrun.c: run_mod"),
    # the main thread's end wants the thread state that the interpreter has in itself
    "ends with its first state": ((3, 13), "Python/pylifecycle.c: resolve_final_tstate"),
    # what hides a module of the library is told by PyConfig.sys_path_0
    "knows its first path": ((3, 13), "Objects/moduleobject.c: _PyModule_IsPossiblyShadowing"),
    # -c is dedented
    "dedents -c": ((3, 14), "Modules/main.c: pymain_run_command"),
    # a class below KeyboardInterrupt ends Python as SIGINT does, too
    "is interrupted by any class": (
        (3, 14),
        "Python/pythonrun.c: _Py_HandleSystemExitAndKeyboardInterrupt",
    ),
    # __main__ is made without __annotations__
    "annotates late": ((3, 14), "Python/pylifecycle.c: add_main_module"),
}

TRACING_AT = 44  # bytes; of 3.9 and 3.10 on all 64-bit machines (Include/cpython/pystate.h)

# what makes a start visible, continues after a program's end, guards memory by its owner, or finds
# modules where a run may mount some: a copy has no start of its own
UNFIT = {
    *("PYTHONDUMPREFS", "PYTHONDUMPREFSFILE", "PYTHONINSPECT", "PYTHONMALLOCSTATS", "PYTHONTRACEMALLOC"),
    *("PYTHONPERFSUPPORT", "PYTHON_PERF_JIT_SUPPORT", "PYTHONPROFILEIMPORTTIME", "PYTHONVERBOSE"),
    *("PYTHONDEVMODE", "PYTHONFAULTHANDLER", "PYTHONMALLOC"),
    *("PYTHONHOME", "PYTHONPATH", "PYTHONSAFEPATH"),
}


def has(change: str) -> bool:
    """Say whether this Python has a change."""
    return sys.version_info >= CHANGES[change][0]


def why_cold() -> str:
    """Return why programs of this Python must start cold, or nothing."""
    name = sys.implementation.name
    version = sys.version_info[:2]
    if name != "cpython":
        return f"its Python is {name}"
    if not OLDEST <= version <= NEWEST:
        return "CPython {}.{} is not among those that it knows, {}.{} to {}.{}".format(
            *version, *OLDEST, *NEWEST
        )
    if not is_of_glibc():
        return "its C library is not glibc"
    if hasattr(sys, "gettotalrefcount"):
        return "its Python is a debug build"
    if "t" in sys.abiflags:
        return "its Python is built to run without the GIL"
    jit = getattr(sys, "_jit", None)
    if jit and jit.is_enabled():
        return "its Python compiles while it runs (JIT)"
    if sys.prefix != sys.base_prefix:
        return "its Python is that of a virtual environment"
    unfit = sorted(UNFIT & set(os.environ))
    if unfit:
        return f"its environment has {unfit[0]}"
    return why_start_matters()


def is_of_glibc() -> bool:
    """Tell whether the C library is the one that a warm start was tested with; musl has no name."""
    try:
        return (os.confstr("CS_GNU_LIBC_VERSION") or "").startswith("glibc")
    except (OSError, ValueError):
        return False


def why_start_matters() -> str:
    """Return what of the user's own runs when this Python starts; the library's copy is Debian's."""
    library = os.path.dirname(os.__file__)
    for name in ("sitecustomize", "usercustomize"):
        file = getattr(sys.modules.get(name), "__file__", None)
        if file and os.path.dirname(file) != library:
            return f"its Python runs {file} as it starts"
    return ""
