"""program - what a cell becomes: the python command line of a request.

In a cold start the kernel and CPython do all this at exec. Here the interpreter exists
already, so everything that python(1) would derive from its arguments, its environment and
its descriptors is made anew; then cell.so runs the program with CPython's own functions
on an empty stack (runtime/inside/interpreter.h).
"""

import _signal
import builtins
import contextlib
import ctypes
import fcntl
import functools
import gc
import io
import os
import sys
import time
import weakref
from importlib.machinery import BuiltinImporter, PathFinder, SourceFileLoader

import reseed
import prefault
import session
import show
from versions import TRACING_AT, has

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from types import CodeType

HERE = os.path.dirname(os.path.abspath(__file__))
PR_SET_NAME = 15
IONBF = 2  # stdio.h
SESSION = b"glovebox-session"  # instead of a command line
OURS: list[object] = []  # modules that only we needed; a program imports its own
ABSENT: list[str] = []  # directories for modules that may appear
AUTHORITIES: "dict[str, str] | None" = None  # what TLS contexts of preloads have read; None: there are none
GENERATORS: "reseed.Generators | None" = None  # held by the preloads
STARTED_WITH: list[bytes] = []  # the nursery's variables, unless a preload has changed them
COMPILED: "dict[str, CodeType]" = {}  # what servers say behind -c, ready to be run
STREAMS: "list[tuple[int, ...]]" = []  # the kinds of files that the nursery's streams are made for
REAL = os.path.realpath("/proc/self/exe")
KNOWN = {module: frozenset(module.__dict__) for module in (sys, builtins)}
COERCED = b"LC_CTYPE"  # CPython sets it for itself and its children in a C locale (PEP 538)
LINECACHE = None
if has("remembers -c"):
    import linecache as LINECACHE


get_importer = ctypes.pythonapi.PyImport_GetImporter
get_importer.restype = ctypes.py_object


class Api(ctypes.Structure):
    """struct python_api: functions of the C API, by address."""

    NAMES = (
        "PyThreadState_Get",
        "PyThreadState_Swap",
        "PyThreadState_New",
        "PyThreadState_Delete",
        "PyThreadState_GetDict",
        "PyThreadState_EnterTracing",
        "PyInterpreterState_Main",
        "_PyInterpreterState_SetRunningMain",
        "_PyInterpreterState_SetNotRunningMain",
        "PyRun_FileExFlags",
        "Py_CompileStringObject",
        "PyEval_EvalCode",
        "PySys_Audit",
        "Py_IsInitialized",
        "Py_FinalizeEx",
        "fflush",
        "PyErr_ExceptionMatches",
        "PyErr_Fetch",
        "PyErr_Restore",
        "PyErr_NormalizeException",
        "PyErr_Print",
        "PyErr_Clear",
        "PyErr_WriteUnraisable",
        "PyObject_Call",
        "PyObject_CallFunctionObjArgs",
        "PyObject_CallMethod",
        "PyObject_GetAttrString",
        "PyFile_WriteObject",
        "PyObject_Print",
        "PySys_WriteStderr",
        "PyObject_IsTrue",
        "PyLong_AsLong",
        "PySequence_Contains",
        "PyIter_Next",
        "PyObject_Type",
        "PyType_GetFlags",
        "PyDict_SetItemString",
        "PyDict_DelItemString",
        "PySys_GetObject",
        "PySys_SetObject",
        "PyCapsule_New",
        "PyCFunction_NewEx",
        "Py_IncRef",
        "Py_DecRef",
    )
    _fields_ = [
        *((name, ctypes.c_void_p) for name in (*NAMES, "interrupt", "exit")),
        ("ends_with_first", ctypes.c_int),
        ("tracing_at", ctypes.c_uint),
    ]

    @classmethod
    def look_up(cls) -> "Api":
        """Return the addresses in this interpreter; for fflush, in the C library."""
        functions = [getattr(ctypes.pythonapi, name, None) for name in cls.NAMES]
        found = [ctypes.cast(f, ctypes.c_void_p) if f else None for f in functions]
        tracing_at = 0 if has("pauses tracers") else tracing_counter()
        ends_with_first = has("ends with its first state")
        return cls(*found, id(KeyboardInterrupt), id(SystemExit), ends_with_first, tracing_at)


def tracing_counter() -> int:
    """Return where a thread's state counts its tracers' calls, if a test confirms it."""
    state = ctypes.pythonapi.PyThreadState_Get
    state.restype = ctypes.c_void_p
    counter = ctypes.c_int.from_address(state() + TRACING_AT)
    seen = [counter.value]
    sys.setprofile(lambda *_: seen.append(counter.value))
    sys.setprofile(None)
    if set(seen[1:]) != {1} or seen[0] or counter.value:
        raise NotImplementedError("PyThreadState.tracing is not where it is looked for")
    return TRACING_AT


class Program(ctypes.Structure):
    """struct python_program: one of file, string and callable, and what is needed around it."""

    _fields_ = [
        ("file", ctypes.c_void_p),
        ("close", ctypes.c_int),
        ("any_interrupt", ctypes.c_int),
        ("name", ctypes.c_char_p),
        ("string", ctypes.c_char_p),
        ("code", ctypes.py_object),
        ("string_name", ctypes.py_object),
        ("remember", ctypes.py_object),
        ("text", ctypes.py_object),
        ("callable", ctypes.py_object),
        ("arguments", ctypes.py_object),
        ("globals", ctypes.c_void_p),
        ("none", ctypes.py_object),
        ("stderr_file", ctypes.c_void_p),
        ("unraisable", ctypes.py_object),
        ("forget", ctypes.py_object),
        ("text_stream", ctypes.py_object),
        ("stdout_name", ctypes.py_object),
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
        ("certain", prefault.Pages),
        ("likely", prefault.Pages),
    ]


class Place(ctypes.Structure):
    """struct cell_place."""

    _fields_ = [("control", ctypes.c_int), ("start", ctypes.c_int)]


class Memory(ctypes.Structure):
    """struct prctl_mm_map: the parts of this process's memory (prctl(2), PR_SET_MM_MAP)."""

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


class FirstPath:
    """Where CPython keeps what sys.path[0] was at its start (PyConfig.sys_path_0).

    CPython uses it to report that a file of the user's hides an intended module. Its offset
    differs from version to version, and is found by its value: our own folder.
    """

    WORDS = 128  # the structure has about 60

    def __init__(self, libc: ctypes.PyDLL) -> None:
        self.place = None
        if not has("knows its first path"):
            return
        ctypes.pythonapi._Py_GetConfig.restype = ctypes.c_void_p
        start = ctypes.pythonapi._Py_GetConfig()
        words = (ctypes.c_void_p * self.WORDS).from_address(start)
        ours = bytes(ctypes.create_unicode_buffer(HERE))
        found = [i for i, word in enumerate(words) if word and peek(libc, word, len(ours)) == ours]
        if len(found) != 1:
            raise NotImplementedError("PyConfig.sys_path_0 is not where it is looked for")
        self.place = ctypes.c_void_p.from_buffer(words, found[0] * ctypes.sizeof(ctypes.c_void_p))

    def set(self, path: str) -> None:
        """Make CPython believe that it started with this path."""
        if self.place is not None:
            text = ctypes.create_unicode_buffer(path)
            ctypes.pythonapi.PyMem_RawMalloc.restype = ctypes.c_void_p
            self.place.value = ctypes.pythonapi.PyMem_RawMalloc(ctypes.c_size_t(len(bytes(text))))
            ctypes.memmove(self.place.value, text, len(bytes(text)))


def peek(libc: ctypes.PyDLL, address: int, size: int) -> bytes:
    """Return the bytes at an address that may be invalid; write(2) checks it."""
    ours, theirs = os.pipe()
    written = libc.write(theirs, ctypes.c_void_p(address), ctypes.c_size_t(size))
    os.close(theirs)
    text = os.read(ours, size) if written > 0 else b""
    os.close(ours)
    return text


class Cell:
    """cell.so, and everything that is looked up once in the nursery."""

    def __init__(self, folder: str) -> None:
        library = ctypes.PyDLL(f"{folder}/cell.so")  # PyDLL: the GIL stays held
        self.cell_make = library.cell_make
        self.cell_enter = library.cell_enter
        self.cell_forget = library.cell_forget
        self.python_run = library.python_run
        self.cell_fork_apart = library.cell_fork_apart
        self.cell_fork_apart.restype = ctypes.c_long
        is_coerced()
        ABSENT[:] = absent_folders()
        self.api = Api.look_up()
        self.memory = Memory.look_up()
        self.place = Place()
        self.is_born = False
        libc = self.libc = ctypes.PyDLL(None)
        self.first_path = FirstPath(libc)
        self.madvise = libc.madvise
        self.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
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
        """Make one cell. False in the program of a cell (is_born), and at the end of the nursery."""
        outcome = self.cell_make(calls, ctypes.byref(self.fork), ctypes.byref(self.place))
        self.is_born = outcome == 1
        return outcome == 0

    def prefault(self, certain: dict[int, int], likely: dict[int, int]) -> None:
        """Make later cells request these pages: at once, and when nobody has called for a while."""
        self.fork.certain = prefault.Pages.of(certain)
        self.fork.likely = prefault.Pages.of(likely)

    def enter(self) -> tuple[list[bytes], list[bytes]]:
        """Wait for a request and confine this process; return its arguments and variables."""
        argv, envp = ctypes.POINTER(ctypes.c_char_p)(), ctypes.POINTER(ctypes.c_char_p)()
        known = map(ctypes.byref, (self.place, self.fork, self.memory))
        self.cell_enter(*known, ctypes.byref(argv), ctypes.byref(envp))
        words, variables = listed(argv), listed(envp)
        self.cell_forget()
        return words, variables


def prepare() -> None:
    """Have ready, in the nursery, what most requests would make alike. Behind gc.freeze(), which hides."""
    with open("/proc/self/environ", "rb") as file:
        variables = file.read().split(b"\0")[:-1]
    current = {name: value for name, value in os.environb.items() if name != COERCED}
    if dict(variable.partition(b"=")[::2] for variable in variables) == current:
        STARTED_WITH[:] = variables
    set_streams(unbuffered=False)
    STREAMS[:] = map(file_kind, range(3))
    with open(f"{HERE}/execute.py", encoding="utf-8") as file:
        text = command_text(file.read())
    COMPILED[text] = compile(text, "<string>", "exec", dont_inherit=True)


def authorities() -> "dict[str, str]":
    """Return what OpenSSL reads for each new context: where the authorities are that it trusts."""
    return {name: os.environ[name] for name in ("SSL_CERT_FILE", "SSL_CERT_DIR") if name in os.environ}


def read_authorities() -> "dict[str, str] | None":
    """Return them if a preload has made a context, which has read them then. Before gc.freeze()."""
    module = sys.modules.get("_ssl")
    kind = module._SSLContext if module else ()
    return authorities() if any(isinstance(item, kind) for item in gc.get_objects()) else None


def trusts_others() -> bool:
    """Tell whether a context of a preload would have been made with other authorities."""
    return AUTHORITIES is not None and authorities() != AUTHORITIES


def hide(known: "Collection[str]") -> None:
    """Leave only these modules in sys.modules. From here on nothing is imported but by a program."""
    OURS[:] = [sys.modules.pop(name) for name in list(sys.modules) if name not in known]


def raised(path: str) -> int:
    """Open a path at a number that nothing else uses (cell_birth.c, cell_birth_become_init)."""
    fd = os.open(path, os.O_PATH)
    number = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 16)
    os.close(fd)
    return number


def play(cell: Cell) -> None:
    """Be a program without a request, for prefault.explore(). Does not return."""
    variables = STARTED_WITH or [b"%s=%s" % pair for pair in os.environb.items()]
    renew_random()
    begin(cell, [b"python3", b"-c", prefault.PROGRAM], variables)


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
    """Set the dispositions that Python sets at its start (Py_InitializeEx).

    Not by the module signal: until Python 3.10 its enumerations leave frames of ours as garbage.
    """
    _signal.signal(_signal.SIGPIPE, _signal.SIG_IGN)
    _signal.signal(_signal.SIGXFSZ, _signal.SIG_IGN)
    _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)
    _signal.signal(_signal.SIGINT, _signal.default_int_handler)


def set_environment(variables: list[bytes]) -> None:
    """Set exactly these variables, in this process and for its children."""
    if variables == STARTED_WITH:
        return
    wanted = dict(variable.partition(b"=")[::2] for variable in variables)
    current = os.environb
    if is_coerced():  # and so is a request's: it has the same locale (wire/key.c)
        wanted[COERCED] = current[COERCED]
    for name in [name for name in current if name not in wanted]:
        del current[name]
    zone = current.get(b"TZ")
    for name, value in wanted.items():
        if current.get(name) != value:
            current[name] = value
    if current.get(b"TZ") != zone:
        time.tzset()


@functools.cache
def is_coerced() -> bool:
    """Tell whether CPython itself, not its caller, has set the locale."""
    with open("/proc/self/environ", "rb") as file:
        return COERCED in os.environb and b"\0LC_CTYPE=" not in b"\0" + file.read()


def renew_random() -> None:
    """Make random numbers differ from cell to cell; hash seeds are shared (docs/warm.md)."""
    if GENERATORS:
        GENERATORS.renew()
    modules = sys.modules
    if "uuid" in modules:
        modules["uuid"]._node = modules["uuid"]._last_timestamp = None
        modules["uuid"]._generate_time_safe = None  # libuuid draws its node once per process
    if "tempfile" in modules:
        modules["tempfile"]._name_sequence = modules["tempfile"].tempdir = None
    if "_sqlite3" in modules:  # its generator does not notice a fork
        with contextlib.suppress(OSError, AttributeError):
            ctypes.PyDLL("libsqlite3.so.0").sqlite3_randomness(0, None)
    if "threading" in modules:  # os.fork() leaves the nursery's threads in it
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


def file_kind(fd: int) -> tuple[int, ...]:
    """Return what a stream depends on: the type, device number and block size of its file."""
    found = os.fstat(fd)
    return found.st_mode >> 12, found.st_rdev, found.st_blksize


def unbuffer_stdio(libc: ctypes.PyDLL) -> None:
    """Have the C library write its standard streams through, as CPython does for -u (Python/initconfig.c)."""
    for name in ("stdin", "stdout", "stderr"):
        libc.setvbuf(ctypes.c_void_p.in_dll(libc, name), None, IONBF, ctypes.c_size_t(8192))


def is_unbuffered() -> bool:
    """Tell whether the environment asks for streams that are written through."""
    return bool(os.environ.get("PYTHONUNBUFFERED"))


def set_streams(unbuffered: bool) -> None:
    """Make new sys.stdin, stdout and stderr, where the nursery's are for other kinds of files."""
    for fd, name in enumerate(("stdin", "stdout", "stderr")):
        if STREAMS and STREAMS[fd] == file_kind(fd) and not unbuffered:
            continue
        stream = standard_stream(fd, f"<{name}>", getattr(sys, f"__{name}__"), unbuffered)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def fresh_main() -> None:
    """Replace __main__ by a new one, as it is before a program runs."""
    module = type(sys)("__main__")
    namespace = module.__dict__
    namespace["__loader__"] = BuiltinImporter
    if not has("annotates late"):
        namespace["__annotations__"] = {}
    namespace["__builtins__"] = builtins
    sys.modules["__main__"] = module


def execute(cell: Cell, request: Program) -> None:
    """Run it on an empty stack, and end as CPython does. Does not return."""
    request.globals = id(sys.modules["__main__"].__dict__)
    request.any_interrupt = has("is interrupted by any class")
    request.none = None
    request.stderr_file = ctypes.c_void_p.in_dll(cell.libc, "stderr")
    request.unraisable = sys.__unraisablehook__
    request.text_stream, request.stdout_name = io.TextIOWrapper, "sys.stdout"
    request.forget = functools.partial(forget, next(reversed(sys.modules)))
    cell.python_run(ctypes.byref(cell.api), ctypes.byref(request))


def forget(last_known: str) -> "Iterator[Callable[[], object]]":
    """Yield functions that end what the program made, as finalize_modules() of CPython does.

    Each is called from C, while nothing of ours is on the stack: objects get their __del__ then, and
    must see what they would see in a cold start, and blame the same in warnings.
    """
    for name in ("stdin", "stdout", "stderr"):
        yield functools.partial(setattr, sys, name, getattr(sys, f"__{name}__", None))
    popped = [sys.modules.pop("__main__", None)]
    while last_known in sys.modules and next(reversed(sys.modules)) != last_known:
        popped.append(sys.modules.popitem()[1])
    gone = [weakref.ref(module) for module in popped if type(module) is type(sys)]
    yield popped.clear
    yield gc.callbacks.clear
    for generation in range(3):  # one after the other, so that older objects end first
        yield functools.partial(gc.collect, generation)
    for module in filter(None, (reference() for reference in gone)):
        yield emptying(module, {"__builtins__"})
    for module, known in KNOWN.items():  # attributes that were added there
        yield emptying(module, known)
    yield gc.collect


def emptying(module: object, kept: "Collection[str]") -> "Callable[[], object]":
    """Return a function that sets all but these names of a module to None."""
    names = [name for name in module.__dict__ if name not in kept]
    return functools.partial(module.__dict__.update, dict.fromkeys(names))


def run_session(cell: Cell) -> None:
    """Serve a session (session.py). Does not return."""
    unbuffer_stdio(cell.libc)
    set_streams(unbuffered=False)
    if trusts_others():
        session.unfit = "a preloaded module has read other certificate authorities than SSL_CERT_FILE names"
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
    if has("orig_argv"):
        sys.orig_argv = argv
    sys.path_importer_cache.pop(HERE, None)
    sys.path_importer_cache.pop(f"{HERE}/nursery.py", None)
    name = os.path.basename(sys.executable)
    cell.prctl(PR_SET_NAME, name.encode())
    unbuffered = unbuffered or is_unbuffered()
    if unbuffered:
        unbuffer_stdio(cell.libc)
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
    if (
        is_other(sys.executable)
        or has_more_modules()
        or is_shadowed(sys.path[0] or ".")
        or trusts_others()
    ):
        os.execv(sys.executable, argv)
    cell.first_path.set(sys.path[0])
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


def is_other(program: str) -> bool:
    """Tell whether a mount has put another interpreter first on PATH, perhaps a virtual one."""
    folder = os.path.dirname(program)
    marks = (f"{folder}/pyvenv.cfg", f"{folder}/../pyvenv.cfg")
    return bool(program) and (os.path.realpath(program) != REAL or any(map(os.path.exists, marks)))


def has_more_modules() -> bool:
    """Tell whether a new directory of modules exists, which sys.path would contain."""
    return any(map(os.path.isdir, ABSENT))


def absent_folders() -> "list[str]":
    """Return missing directories that site would have added to sys.path."""
    site = sys.modules.get("site")
    if not site:
        return []
    found = [site.USER_SITE] if site.ENABLE_USER_SITE else []
    for folder in site.getsitepackages():
        with contextlib.suppress(OSError):
            for name in os.listdir(folder):
                if name.endswith(".pth"):
                    with open(f"{folder}/{name}", encoding="utf-8", errors="replace") as file:
                        lines = [line.rstrip() for line in file if line[0] not in "#\n"]
                    found += [os.path.join(folder, line) for line in lines]
    return [path for path in found if not os.path.exists(path)]


def command(text: str) -> Program:
    """Return -c TEXT."""
    sys.path[0] = ""
    text = command_text(text)
    try:
        encoded = text.encode()
    except UnicodeEncodeError:  # CPython reports it in two parts
        sys.stderr.write("Unable to decode the command from the command line:\n")
        return Program(callable=str.encode, arguments=(text,))
    request = Program(string=encoded, string_name="<string>")
    if text in COMPILED:
        request.code = COMPILED[text]
        show.install(show.Screen())
    if LINECACHE:
        sys.modules["linecache"] = LINECACHE
        by_code = hasattr(LINECACHE, "_interactive_cache")
        request.text = text
        request.remember = LINECACHE._register_code if by_code else remember_name
    return request


def command_text(text: str) -> str:
    """Return what is compiled for -c TEXT."""
    text += "\n"
    return dedented(text) if has("dedents -c") else text


def remember_name(_: object, text: str, name: str) -> None:
    """Give linecache the text, as the first releases of 3.13 do: not by its code."""
    LINECACHE._register_code(name, text, name)


def dedented(text: str) -> str:
    """Return it as _PyUnicode_Dedent() of CPython: lines end with \\n, spaces and tabs are blank."""
    lines = text.split("\n")
    said = [line for line in lines if line.strip(" \t")]
    margin = len(os.path.commonprefix([line[: -len(line.lstrip(" \t"))] for line in said]))
    if not margin:
        return text
    return "\n".join(line[margin:] if line.strip(" \t") else "" for line in lines)


def module(name: str) -> Program:
    """Return -m NAME, which CPython leaves to runpy, too."""
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
    """Tell whether files beside the program would have been imported instead of what is loaded.

    Then no loaded module is certain to be what the program would have got:
    the interpreter is started anew, inside.
    """
    try:
        names = {entry.partition(".")[0] for entry in os.listdir(folder)}
    except OSError:
        return False
    if "matplotlib" in sys.modules and os.path.exists("matplotlibrc"):
        return True
    loaded = [n for n in names if getattr(sys.modules.get(n), "__file__", None)]
    found = (PathFinder.find_spec(name, [folder]) for name in loaded)
    return any(spec and spec.loader for spec in found)  # None: a namespace package, found last
