"""program - what a cell becomes: the python command line of a request.

A cold start has the kernel and CPython do all this at exec. Here the interpreter exists
already, so everything that python(1) would derive from its arguments, its environment and
its descriptors is made anew; then cell.so runs the program with CPython's own functions
on an empty stack (runtime/inside/interpreter.h).
"""

import _thread
import atexit
import builtins
import contextlib
import ctypes
import fcntl
import functools
import gc
import io
import os
import signal
import sys
import time
import weakref
from importlib.machinery import BuiltinImporter, PathFinder, SourceFileLoader

import reseed
import scout
import session

HERE = os.path.dirname(os.path.abspath(__file__))
PR_SET_NAME = 15
SESSION = b"glovebox-session"  # instead of a command line
OURS: set[str] = set()  # modules that only we needed
GENERATORS: "reseed.Generators | None" = None  # that the preloads hold


get_importer = ctypes.pythonapi.PyImport_GetImporter
get_importer.restype = ctypes.py_object


class Api(ctypes.Structure):
    """struct python_api: functions of the C API, by address."""

    NAMES = (
        "PyThreadState_Swap",
        "PyInterpreterState_Main",
        "PyThreadState_New",
        "PyThreadState_Delete",
        "PyObject_Call",
        "PyRun_FileExFlags",
        "PyRun_StringFlags",
        "PyErr_ExceptionMatches",
        "PyErr_Fetch",
        "PyErr_Restore",
        "PyErr_NormalizeException",
        "PyErr_Print",
        "PyErr_WriteUnraisable",
        "PyTuple_New",
        "PyTuple_SetItem",
        "PyLong_AsLong",
        "PySys_GetObject",
        "PyObject_CallMethod",
        "PyObject_GetAttrString",
        "PyObject_IsTrue",
        "PyObject_SetAttrString",
        "PyThreadState_Get",
        "PyThreadState_EnterTracing",
        "PyErr_Clear",
        "PyImport_GetModuleDict",
        "PyDict_GetItemString",
        "Py_DecRef",
    )
    _fields_ = [(name, ctypes.c_void_p) for name in (*NAMES, "fflush", "interrupt", "exit")]

    @classmethod
    def look_up(cls) -> "Api":
        """Return the addresses in this interpreter."""
        functions = [getattr(ctypes.pythonapi, name, None) for name in cls.NAMES]
        functions.append(ctypes.PyDLL(None).fflush)
        found = [ctypes.cast(f, ctypes.c_void_p) if f else None for f in functions]
        return cls(*found, id(KeyboardInterrupt), id(SystemExit))


class Program(ctypes.Structure):
    """struct python_program: one of file, string and callable, and what is called around it."""

    _fields_ = [
        ("file", ctypes.c_void_p),
        ("close", ctypes.c_int),
        ("name", ctypes.c_char_p),
        ("string", ctypes.c_char_p),
        ("callable", ctypes.py_object),
        ("arguments", ctypes.py_object),
        ("globals", ctypes.c_void_p),
        ("nothing", ctypes.py_object),
        ("none", ctypes.py_object),
        ("exit_code", ctypes.py_object),
        ("at_exit", ctypes.py_object),
        ("forget", ctypes.py_object),
    ]


class Fork(ctypes.Structure):
    """struct cell_fork: how os.fork() forks, by address."""

    _fields_ = [
        ("before", ctypes.c_void_p),
        ("after_parent", ctypes.c_void_p),
        ("after_child", ctypes.c_void_p),
        ("fork", ctypes.c_void_p),
        ("init_fd", ctypes.c_int),
        ("proc_fd", ctypes.c_int),
        ("ranges", ctypes.POINTER(scout.Range) * 2),
        ("range_counts", ctypes.c_uint64 * 2),
    ]


class Place(ctypes.Structure):
    """struct cell_place."""

    _fields_ = [("control", ctypes.c_int), ("start", ctypes.c_int), ("is_awaited", ctypes.c_int)]


class Memory(ctypes.Structure):
    """struct prctl_mm_map: where this process has its parts (prctl(2), PR_SET_MM_MAP)."""

    NAMES = (
        *("start_code", "end_code", "start_data", "end_data", "start_brk", "brk"),
        *("start_stack", "arg_start", "arg_end", "env_start", "env_end", "auxv"),
    )
    _fields_ = [
        *((name, ctypes.c_uint64) for name in NAMES),
        ("auxv_size", ctypes.c_uint32),
        ("exe_fd", ctypes.c_uint32),
    ]

    @classmethod
    def look_up(cls) -> "Memory":
        """Return that of this process, from the fields of proc(5)'s stat."""
        with open("/proc/self/stat", "rb") as file:
            fields = [b"", b"", *file.read().rpartition(b")")[2].split()]
        at = {"start_code": 26, "end_code": 27, "start_stack": 28, "start_data": 45}
        at |= {"end_data": 46, "start_brk": 47, "arg_start": 48, "arg_end": 49}
        found = {name: int(fields[field - 1]) for name, field in at.items()}
        return cls(**found, exe_fd=0xFFFFFFFF)


class Cell:
    """cell.so, and what is looked up once in the nursery."""

    def __init__(self, folder: str) -> None:
        library = ctypes.PyDLL(f"{folder}/cell.so")  # PyDLL: the GIL stays held
        self.cell_make = library.cell_make
        self.cell_enter = library.cell_enter
        self.cell_forget = library.cell_forget
        self.python_run = library.python_run
        self.cell_fork_apart = library.cell_fork_apart
        self.cell_fork_apart.restype = ctypes.c_long
        self.api = Api.look_up()
        self.memory = Memory.look_up()
        self.place = Place()
        self.is_born = False
        libc = ctypes.PyDLL(None)
        self.prctl = libc.prctl
        self.flush = libc.fflush
        self.fopen = libc.fopen
        self.fdopen = libc.fdopen
        for function in (self.fopen, self.fdopen):
            function.restype = ctypes.c_void_p
        api = ctypes.pythonapi
        functions = (api.PyOS_BeforeFork, api.PyOS_AfterFork_Parent, api.PyOS_AfterFork_Child)
        addresses = [ctypes.cast(f, ctypes.c_void_p) for f in (*functions, libc.fork)]
        self.fork = Fork(*addresses, raised(f"{folder}/cell-init"), raised("/proc"))

    def make(self, calls: int) -> bool:
        """Make one cell. False in the program of a cell (is_born), and when all is over."""
        outcome = self.cell_make(calls, ctypes.byref(self.fork), ctypes.byref(self.place))
        self.is_born = outcome == 1
        return outcome == 0

    def populate(self, always: dict[int, int], unless_awaited: dict[int, int]) -> None:
        """Have the cells that are made from now on ask for these pages at once (scout.py)."""
        for i, pages in enumerate((always, unless_awaited)):
            ranges = scout.ranges(pages)
            self.fork.ranges[i] = ranges
            self.fork.range_counts[i] = len(ranges)

    def enter(self) -> tuple[list[bytes], list[bytes]]:
        """Wait for a request and confine this process; return its arguments and variables."""
        argv, envp = ctypes.POINTER(ctypes.c_char_p)(), ctypes.POINTER(ctypes.c_char_p)()
        place, memory = ctypes.byref(self.place), ctypes.byref(self.memory)
        self.cell_enter(place, memory, ctypes.byref(argv), ctypes.byref(envp))
        words, variables = listed(argv), listed(envp)
        self.cell_forget()
        return words, variables


def raised(path: str) -> int:
    """Open a path, with a number that is in nobody's way (cell_birth.c, become_init)."""
    fd = os.open(path, os.O_PATH)
    number = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 16)
    os.close(fd)
    return number


def play(cell: Cell) -> None:
    """Be a program without a request, for the scout. Does not return."""
    variables = [b"%s=%s" % pair for pair in os.environb.items()]
    renew_random()
    begin(cell, [b"python3", b"-c", scout.PROGRAM], variables)


def become(cell: Cell) -> None:
    """Wait for a request, confine this process, and run it. Does not return."""
    renew_random()
    words, variables = cell.enter()
    begin(cell, words, variables)


def begin(cell: Cell, words: list[bytes], variables: list[bytes]) -> None:
    """Run a command line in an environment."""
    restore_signals()
    set_environment(variables)
    if words == [SESSION]:
        run_session(cell)
    run(cell, [os.fsdecode(word) for word in words])


def listed(pointer: "ctypes._Pointer[ctypes.c_char_p]") -> list[bytes]:
    """Return the strings of a C array that ends with NULL."""
    items = []
    while (item := pointer[len(items)]) is not None:
        items.append(item)
    return items


# -- what exec would have reset ----------------------------------------------------------


def restore_signals() -> None:
    """Have the dispositions that Python sets up when it starts (Py_InitializeEx)."""
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def set_environment(variables: list[bytes]) -> None:
    """Have these variables and no other, in this process and for its children."""
    wanted = dict(variable.partition(b"=")[::2] for variable in variables)
    current = os.environb
    for name in [name for name in current if name not in wanted]:
        del current[name]
    zone = current.get(b"TZ")
    for name, value in wanted.items():
        if current.get(name) != value:
            current[name] = value
    if current.get(b"TZ") != zone:
        time.tzset()


def renew_random() -> None:
    """Make random numbers differ from cell to cell; hash seeds are shared (README)."""
    if GENERATORS:
        GENERATORS.renew()
    modules = sys.modules
    if "uuid" in modules:
        modules["uuid"]._node = modules["uuid"]._last_timestamp = None
        modules["uuid"]._generate_time_safe = None  # libuuid draws its node once per process
    if "tempfile" in modules:
        modules["tempfile"]._name_sequence = modules["tempfile"].tempdir = None
    if "_sqlite3" in modules:  # its generator notices no fork
        with contextlib.suppress(OSError, AttributeError):
            ctypes.PyDLL("libsqlite3.so.0").sqlite3_randomness(0, None)
    if "threading" in modules:  # os.fork() leaves the nursery's
        modules["threading"].main_thread()._set_native_id()
    if "multiprocessing.process" in modules:
        process = modules["multiprocessing.process"]
        process.current_process()._config["authkey"] = process.AuthenticationString(os.urandom(32))


def standard_stream(fd: int, name: str, like: io.TextIOWrapper, unbuffered: bool) -> io.TextIOWrapper:
    """Return a stream as create_stdio() of CPython makes it (Python/pylifecycle.c)."""
    writes = fd > 0
    mode = "w" if writes else "r"
    binary = io.open(fd, f"{mode}b", 0 if unbuffered and writes else -1, closefd=False)
    raw = getattr(binary, "raw", binary)
    raw.name = name
    text = io.TextIOWrapper(
        binary,
        like.encoding,
        like.errors,
        "\n",
        line_buffering=not unbuffered and (fd == 2 or raw.isatty()),
        write_through=unbuffered,
    )
    text.mode = mode
    return text


def set_streams(unbuffered: bool) -> None:
    """Have fresh sys.stdin, stdout and stderr."""
    unbuffered = unbuffered or bool(os.environ.get("PYTHONUNBUFFERED"))
    for fd, name in enumerate(("stdin", "stdout", "stderr")):
        stream = standard_stream(fd, f"<{name}>", getattr(sys, f"__{name}__"), unbuffered)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def fresh_main() -> None:
    """Put a new __main__ in its place, as it is before a program runs, and hide what we imported."""
    module = type(sys)("__main__")
    namespace = module.__dict__
    namespace["__loader__"] = BuiltinImporter
    namespace["__annotations__"] = {}
    namespace["__builtins__"] = builtins
    if sys.version_info >= (3, 14):
        del namespace["__annotations__"]
    for name in OURS:
        sys.modules.pop(name, None)
    sys.modules["__main__"] = module


def execute(cell: Cell, request: Program) -> None:
    """Run it on an empty stack, and end as CPython does. Does not return."""
    request.globals = id(sys.modules["__main__"].__dict__)
    request.nothing, request.none = (), None
    request.exit_code, request.at_exit = exit_code, atexit._run_exitfuncs
    request.forget = functools.partial(forget, next(reversed(sys.modules)))
    cell.python_run(ctypes.byref(cell.api), ctypes.byref(request))


def exit_code(error: SystemExit) -> int:
    """Return the status that it means; as CPython, print what is no number."""
    code = error.code
    if code is None:
        return 0
    if isinstance(code, int):
        return code if -(2**63) <= code < 2**63 else -1
    try:
        sys.stderr.write(str(code))
    except Exception:  # CPython ignores it, too
        pass
    sys.stderr.write("\n")
    return 1


def forget(last_known: str) -> None:
    """End what the program made, as finalize_modules() of CPython: objects get their __del__.

    Not under the feet of daemon threads, which CPython stops at this point and we cannot.
    """
    if _thread._count():
        return
    for name in ("path", "argv", "ps1", "ps2", "last_type", "last_value", "last_traceback"):
        setattr(sys, name, None)
    for name in ("path_hooks", "path_importer_cache", "meta_path"):
        setattr(sys, name, None)
    for name in ("stdin", "stdout", "stderr"):
        setattr(sys, name, getattr(sys, f"__{name}__"))
    popped = [sys.modules.pop("__main__", None)]
    while last_known in sys.modules and next(reversed(sys.modules)) != last_known:
        popped.append(sys.modules.popitem()[1])
    gone = [weakref.ref(module) for module in popped if type(module) is type(sys)]
    del popped
    gc.callbacks.clear()
    for generation in range(3):  # one after the other, what is older is ended first
        gc.collect(generation)
    for module in filter(None, (reference() for reference in gone)):
        for name in [name for name in module.__dict__ if name != "__builtins__"]:
            module.__dict__[name] = None
    gc.collect()


def run_session(cell: Cell) -> None:
    """Serve a session (session.py). Does not return."""
    set_streams(unbuffered=False)
    serve = session.serve
    fork = functools.partial(cell.cell_fork_apart, ctypes.byref(cell.fork))
    fresh_main()
    sys.argv = [""]
    sys.path[0] = ""
    execute(cell, Program(callable=serve, arguments=(fork,)))


# -- python's command line -------------------------------------------------------------------


def run(cell: Cell, argv: list[str]) -> None:
    """Run `python [-u] [-c COMMAND | -m MODULE | FILE | -] [ARG...]`. Does not return."""
    rest = argv[1:]
    unbuffered = False
    while rest and rest[0] == "-u":
        unbuffered = True
        rest = rest[1:]
    sys.executable = sys._base_executable = find_program(argv[0])
    sys.orig_argv = argv
    sys.path_importer_cache.pop(HERE, None)
    sys.path_importer_cache.pop(f"{HERE}/nursery.py", None)
    name = os.path.basename(sys.executable)
    cell.prctl(PR_SET_NAME, name.encode())
    set_streams(unbuffered)
    fresh_main()
    if rest and rest[0][:2] in ("-c", "-m"):
        flag, word, rest = rest[0][:2], rest[0][2:], rest[1:]
        if not word:
            word, rest = rest[0], rest[1:]
        sys.argv = [flag, *rest]
        request = command(word) if flag == "-c" else module(word)
    elif not rest or rest[0] == "-":
        sys.argv = rest or [""]
        request = standard_input(cell)
    else:
        sys.argv = rest
        request = script(cell, rest[0], argv[0])
    if is_shadowed(sys.path[0] or "."):
        os.execv(sys.executable, argv)
    execute(cell, request)


def find_program(name: str) -> str:
    """Return the absolute path of the interpreter, as CPython finds it on PATH."""
    if "/" in name:
        return os.path.abspath(name)
    for folder in os.environ.get("PATH", "").split(":"):
        path = os.path.join(folder, name)
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    return ""


def command(text: str) -> Program:
    """Return -c TEXT."""
    sys.path[0] = ""
    return Program(string=os.fsencode(text + "\n"))


def module(name: str) -> Program:
    """Return -m NAME, which CPython leaves to runpy as well."""
    import runpy

    sys.path[0] = os.getcwd()
    return Program(callable=runpy._run_module_as_main, arguments=(name, True))


def standard_input(cell: Cell) -> Program:
    """Return the program on standard input."""
    sys.path[0] = ""
    namespace = sys.modules["__main__"].__dict__
    namespace["__file__"], namespace["__cached__"] = "<stdin>", None
    return Program(file=cell.fdopen(0, b"r"), name=b"<stdin>")


def script(cell: Cell, name: str, python: str) -> Program:
    """Return FILE, or a directory or archive with a __main__ in it."""
    path = name if os.path.isabs(name) else f"{os.getcwd()}/{name}"
    if get_importer(ctypes.py_object(path)) is not None:
        import runpy

        sys.path[0] = path
        return Program(callable=runpy._run_module_as_main, arguments=("__main__", False))
    sys.path[0] = os.path.dirname(os.path.realpath(path))
    file = cell.fopen(os.fsencode(path), b"rb")
    if not file:
        give_up(python, path)
    namespace = sys.modules["__main__"].__dict__
    namespace["__file__"], namespace["__cached__"] = path, None
    namespace["__loader__"] = SourceFileLoader("__main__", path)
    return Program(file=file, close=1, name=os.fsencode(path))


def give_up(python: str, path: str) -> None:
    """End as CPython does when it cannot open the script."""
    try:
        open(path, "rb").close()
    except OSError as error:
        text = f"{python}: can't open file {path!r}: [Errno {error.errno}] {error.strerror}\n"
        os.write(2, os.fsencode(text))
    os._exit(2)


def is_shadowed(folder: str) -> bool:
    """Say whether files beside the program would have been imported instead of what is loaded.

    Then nothing that was imported can be trusted to be what the program would have got:
    the interpreter starts anew, inside.
    """
    try:
        names = {entry.partition(".")[0] for entry in os.listdir(folder)}
    except OSError:
        return False
    if "matplotlib" in sys.modules and os.path.exists("matplotlibrc"):
        return True
    loaded = [n for n in names if getattr(sys.modules.get(n), "__file__", None)]
    found = (PathFinder.find_spec(name, [folder]) for name in loaded)
    return any(spec and spec.loader for spec in found)  # without: a namespace package, comes last
