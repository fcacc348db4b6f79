"""test_nursery - what the nursery says of its preloads before it makes any cell.

It is run as a program, from the build, its descriptor 3 the supervisor's socket; the modules
are fakes. It ends when that socket does.
"""

import os
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support.run import GLOVEBOX

NURSERY = Path(GLOVEBOX).parents[1] / "guest/nursery.py"
THREAD = """
import threading
for _ in range({count}):
    threading.Thread(target=threading.Event().wait, daemon=True).start()
"""

FILE = """
import mmap, os, tempfile
file = tempfile.TemporaryFile()
file.truncate(mmap.PAGESIZE)
"""
# What a module keeps that all cells would share, and the name by which the kernel knows it.
SHARED = (
    ("import mmap; kept = mmap.mmap(-1, 4096)", "/dev/zero"),
    (f"{FILE}kept = mmap.mmap(file.fileno(), 0)", "/#"),
    (f"{FILE}kept = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)", "/#"),  # until mprotect(2)
    ("import mmap, os; file = os.memfd_create('kept'); os.truncate(file, 4096); kept = mmap.mmap(file, 4096)", "/memfd:kept"),
    ("from multiprocessing import sharedctypes; kept = sharedctypes.RawValue('i')", "/pym-"),
    ("import multiprocessing; kept = multiprocessing.Lock()", "/dev/shm/sem."),
    (
        "from multiprocessing.shared_memory import SharedMemory; kept = SharedMemory(create=True, size=1); kept.unlink()",
        "/dev/shm/psm_",
    ),
    (
        "import ctypes; libc = ctypes.CDLL(None); libc.shmat.restype = ctypes.c_void_p\n"
        "known = libc.shmget(0, 4096, 0o1600); libc.shmat(known, None, 0); libc.shmctl(known, 0, None)",
        "/SYSV",
    ),
)
# What is no memory that a cell could write to for others.
NOT_SHARED = (
    "import mmap; kept = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)",
    f"{FILE}kept = mmap.mmap(file.fileno(), 0, mmap.MAP_PRIVATE)",
    "import mmap; file = open(__file__); kept = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)",
    "import mmap; mmap.mmap(-1, 4096).close()",
    "import multiprocessing; multiprocessing.Lock()",
)


class Preload(unittest.TestCase):
    """The first and only message."""

    def setUp(self) -> None:
        if not NURSERY.with_name("cell.so").exists():
            self.skipTest(f"cannot: {NURSERY.parent} is not built")
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)
        self.guest = shutil.copytree(NURSERY.parent, self.folder / "guest")  # finds fakes beside it

    def say(self, names: str, env: "dict[str, str] | None" = None, **modules: str) -> tuple[str, int]:
        """Preload from modules with these texts, in this environment; return the message and the exit status."""
        for name, text in modules.items():
            (self.guest / f"{name}.py").write_text(text)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ours, theirs:
            process = subprocess.Popen(
                [sys.executable, self.guest / "nursery.py", names],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(3,),
                preexec_fn=lambda: os.dup2(theirs.fileno(), 3),
                env={**(os.environ if env is None else env), "HOME": str(self.folder)},
            )
            theirs.close()
            ours.settimeout(60)
            said = ours.recv(1 << 16).decode()
        return said, process.wait(60)

    def at_every_start(self, text: str) -> None:
        """Have this run when Python starts, as a .pth file of the user's."""
        version = "python{}.{}".format(*sys.version_info)
        folder = self.folder / ".local/lib" / version / "site-packages"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "every.pth").write_text(f"import sys; exec({text!r})\n")

    def assert_error(self, said: tuple[str, int], *words: str) -> None:
        """Assert that the message is an error with these words, and that the nursery ends."""
        message, status = said
        self.assertEqual((message[:6], status), ("error ", 1), message)
        for word in words:
            self.assertIn(word, message)

    def test_version_is_told(self) -> None:
        said = self.say("json,fake", fake="")[0]
        self.assertEqual(said, f"ready {platform.python_version().rstrip('+')}")

    def test_nothing_to_preload(self) -> None:
        for names in ("", ",", ",,json,"):
            self.assertTrue(self.say(names)[0].startswith("ready "), names)

    def test_start_that_a_copy_would_not_repeat(self) -> None:
        """What every start prints or starts, a copy of one start would not."""
        for text, words in (
            ("print('hello')", "says something"),
            ("import os; os.write(2, b'hello')", "says something"),
            (THREAD.format(count=1), "starts threads"),
            ("import mmap; mmap.kept = mmap.mmap(-1, 4096)", "keeps memory that all cells would share"),
        ):
            with self.subTest(text):
                self.at_every_start(text)
                message, status = self.say("json")
                self.assertEqual((message[:5], status), ("cold ", 1))
                self.assertIn(words, message)
        self.at_every_start("import json")
        self.assertTrue(self.say("json")[0].startswith("ready "))

    def test_module_that_is_not_there(self) -> None:
        self.assert_error(self.say("json,nosuch"), "preload nosuch: ModuleNotFoundError: No")

    def assert_left_out(self, said: tuple[str, int], name: str, *words: str) -> None:
        """Assert that the nursery is ready without this module, and says why in one line."""
        message, status = said
        ready, *left_out = message.split("\n")
        self.assertEqual((ready[:6], status, len(left_out)), ("ready ", 0, 1), message)
        self.assertTrue(left_out[0].startswith(f"{name}: "), message)
        for word in words:
            self.assertIn(word, left_out[0])

    def test_module_that_raises_anything(self) -> None:
        for text in ("1/0", "raise SystemExit(0)", "raise KeyboardInterrupt", "(", "import nosuch", "raise OSError('a\\nb')"):
            with self.subTest(text):
                self.assert_left_out(self.say("json,fake,json", fake=text), "fake")

    def test_module_that_starts_threads(self) -> None:
        for count, words in ((1, "it starts 1 thread;"), (3, "it starts 3 threads;")):
            said = self.say("json,quiet,fake,late", quiet="", fake=THREAD.format(count=count), late="")
            self.assert_left_out(said, "fake", words, "thread count")

    def test_module_that_keeps_shared_memory(self) -> None:
        for text, name in SHARED:
            with self.subTest(text):
                said = self.say("json,fake,late", fake=text, late="")
                self.assert_left_out(said, "fake", "it keeps memory that all cells would share", name)

    def test_nothing_of_a_module_that_is_left_out_stays(self) -> None:
        """Each begins anew: what comes later finds none of those before."""
        fakes = {"one": "import os; os.one = 1; 1/0", "two": THREAD.format(count=1)}
        late = "import os, sys; assert not {'one', 'two'} & set(sys.modules) and not hasattr(os, 'one')"
        message, _ = self.say("one,two,late", **fakes, late=late)
        self.assertEqual([line.split(":")[0] for line in message.split("\n")[1:]], ["one", "two"])

    def test_environment_is_that_of_the_start(self) -> None:
        """What a module that is left out has set of it would change the Python that begins anew: its hash seed, its path."""
        fake = "import os; os.environ.update(PYTHONHASHSEED='0', HOME='/'); os.putenv('PYTHONPATH', '/'); 1/0"
        told = "import sys; raise ValueError(sorted(open('/proc/self/environ').read().split('\\0')), sys.flags.hash_randomization)"
        env = {"PATH": os.defpath, "PYTHONDONTWRITEBYTECODE": "1"}  # CPython sets LC_CTYPE for itself
        message, _ = self.say("fake,late", env, fake=fake, late=told)
        variables = sorted(["", *(f"{name}={value}" for name, value in env.items()), f"HOME={self.folder}"])
        self.assertEqual(message.split("\n")[2], f"late: ValueError: ({variables}, 1)")

    def test_python_is_that_of_the_start(self) -> None:
        for program in ("'/nosuch'", "None"):
            self.assert_left_out(self.say("fake", fake=f"import sys; sys.executable = {program}; 1/0"), "fake", "ZeroDivisionError")

    def test_words_of_a_module_are_a_short_line(self) -> None:
        """They are an argument of the next Python, then a part of one message, and the supervisor keeps 1,023 bytes of all."""
        for text, words in (
            ("ValueError('a\\0b\\x1b[2J\\u202e')", "ValueError: a?b?[2J?"),
            ("ValueError('\\ud800\\udcff')", "ValueError: ??"),
            ("ValueError('x' * 200_000)", "ValueError: xxx"),
            ("ModuleNotFoundError('a\\0b', name='\\ud800')", "ModuleNotFoundError: a?b"),
            ("type('Mute', (Exception,), {'__str__': lambda self: 1 / 0})", "Mute: its text cannot be had"),
        ):
            with self.subTest(text):
                message = self.say("json,fake", fake=f"raise {text}")
                self.assert_left_out(message, "fake", words)
                self.assertLess(len(message[0]), 250)
        self.assert_error(self.say("fake", fake="raise ModuleNotFoundError('\\ud800', name='fake')"), "preload fake: ModuleNotFoundError: ?")

    def test_memory_that_is_not_shared(self) -> None:
        for text in NOT_SHARED:
            with self.subTest(text):
                said = self.say("json,fake", fake=text)[0]
                self.assertTrue(said.startswith("ready "), said)

    def test_memory_that_is_shared_on_first_use(self) -> None:
        """warm_up() uses pandas and pyplot, after the last preload was looked at."""
        pandas = "class DataFrame:\n    groupby = b = sum = lambda self, *_: self\n    b = property(groupby)\n"
        text = f"import mmap\n{pandas}    def __init__(self, _):\n        global kept\n        kept = mmap.mmap(-1, 4096)\n"
        self.assert_error(self.say("pandas", pandas=text), "memory that all cells would share once they are used: /dev/zero")

    def test_thread_that_has_ended_is_none(self) -> None:
        text = "import threading\nt = threading.Thread(target=int)\nt.start()\nt.join()\n"
        self.assertTrue(self.say("fake", fake=text)[0].startswith("ready "))

    def test_modules_are_imported_in_order(self) -> None:
        message, _ = self.say("first,second", first="raise ValueError('1st')", second="1/0")
        self.assertRegex(message, r"\nfirst: ValueError: 1st\nsecond: ")

    def test_long_message_is_one_message(self) -> None:
        self.assert_left_out(self.say("fake", fake="raise ValueError('x' * 100_000)"), "fake", "ValueError: xxx")
