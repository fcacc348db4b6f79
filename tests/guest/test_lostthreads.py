"""test_lostthreads - what a fork's copy does without the threads of the first process.

Each test is a program of its own that looks, forks, and uses what it had in the copy. A copy that
waits for a thread that it has not is ended by SIGALRM; nothing here is decided by how long a thing takes.
"""

import ctypes
import json
import signal
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

GUEST = Path(__file__).resolve().parents[2] / "rootfs/guest"
HUNG = -signal.SIGALRM
PROGRAM = """
import json, os, signal, sys
sys.path.insert(0, sys.argv[1])
import lostthreads
before, after, mends, hangs = sys.argv[2:]
names = {}
exec(before, names)
threads = lostthreads.Threads()
print(json.dumps(threads.told()), flush=True)
copy = os.fork()
if copy == 0:
    if mends:
        threads.mend()
    signal.alarm(3 if hangs else 20)
    exec(after, names)
    os._exit(0)
os._exit(os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]) % 256)
"""
POOL = "from concurrent.futures import ThreadPoolExecutor; pool = ThreadPoolExecutor(4); pool.submit(abs, 1).result()"
BUSY = """
import threading
from concurrent.futures import ThreadPoolExecutor
begun, gate = threading.Event(), threading.Event()
def work():
    begun.set()
    gate.wait()
pool = ThreadPoolExecutor(1)
first, second = pool.submit(work), pool.submit(abs, -2)
begun.wait()
"""
BUSY_AFTER = """
assert "rollback" in str(first.exception(timeout=None)), first
assert second.result() == 2
"""
# Two at work, and one item that waits: it begins as soon as the executor is set back, and ends later.
BUSY_TWICE = """
import threading
from concurrent.futures import ThreadPoolExecutor
begun, gate, later = threading.Barrier(3), threading.Event(), threading.Event()
def work():
    begun.wait()
    gate.wait()
pool = ThreadPoolExecutor(2)
pool.submit(work), pool.submit(work)
waits = pool.submit(later.wait)
begun.wait()
"""
BUSY_TWICE_AFTER = """
assert pool._threads == set(threading.enumerate()) - {threading.main_thread()}, pool._threads
later.set()
waits.result()
assert [pool.submit(abs, -i).result() for i in range(4)] == [0, 1, 2, 3]
"""
WAITER = """
import threading
threading.Thread(target=threading.Event().wait, name="%s", daemon=True).start()
"""
# Threads with nothing on their stacks but the C library's code, as aio(7) has them; and a clock by which each look is long.
NAMELESS = """
import ctypes, itertools
import lostthreads
libc, number = ctypes.CDLL(None), ctypes.c_ulong()
libc.pthread_create.argtypes = [ctypes.c_void_p] * 4
for _ in range(3):
    libc.pthread_create(ctypes.byref(number), None, ctypes.cast(libc.pause, ctypes.c_void_p), None)
lostthreads.monotonic = itertools.count().__next__
slept = []
lostthreads.sleep = slept.append
"""
# A team of threads as GCC makes one for `#pragma omp parallel`.
OPENMP = """
import ctypes
team = ctypes.CDLL("libgomp.so.1").GOMP_parallel
def parallel():
    team(ctypes.CDLL(None).getpid, None, 3, 0)
parallel()
"""


def has_openmp() -> bool:
    """Tell whether this machine has GCC's library."""
    try:
        return bool(ctypes.CDLL("libgomp.so.1").omp_pause_resource_all)
    except (OSError, AttributeError):
        return False


class LostThreads(unittest.TestCase):
    """What is found, and what the copy does."""

    def fork(self, before: str, after: str = "", mends: bool = True, hangs: bool = False) -> tuple[dict[str, Any], int]:
        """Run the program; return what it told, and the status of its copy. One that `hangs` is not waited for long."""
        words = [sys.executable, "-c", PROGRAM, str(GUEST), before, after, "yes" if mends else "", "yes" if hangs else ""]
        done = subprocess.run(words, stdout=subprocess.PIPE, text=True)
        status = done.returncode
        return json.loads(done.stdout), status - 256 if status > 128 else status

    def assert_lost(self, before: str, name: str, count: int = 1) -> None:
        """Assert that such threads end with a rollback."""
        told, _ = self.fork(before)
        self.assertEqual(told["threads"], [{"name": name, "count": count, "remade": False}])
        words = f"{count} thread{'s' * (count > 1)} of {name}"
        self.assertEqual(told["ends"], words)

    def test_without_threads_nothing_is_told(self) -> None:
        self.assertEqual(self.fork("")[0], {})

    def test_executor_is_usable_in_the_copy(self) -> None:
        told, status = self.fork(POOL, "assert pool.submit(abs, -5).result() == 5")
        self.assertEqual(told, {"threads": [{"name": "ThreadPoolExecutor", "count": 1, "remade": True}]})
        self.assertEqual(status, 0)

    def test_executor_that_is_not_set_back_hangs(self) -> None:
        self.assertEqual(self.fork(POOL, "pool.submit(abs, -5).result()", mends=False, hangs=True)[1], HUNG)

    def test_default_executor_of_asyncio(self) -> None:
        run = "assert loop.run_until_complete(loop.run_in_executor(None, abs, -3)) == 3"
        _, status = self.fork(f"import asyncio; loop = asyncio.new_event_loop()\n{run}", run)
        self.assertEqual(status, 0)

    def test_work_of_an_executor_is_lost_and_its_future_says_so(self) -> None:
        told, status = self.fork(BUSY, BUSY_AFTER)
        self.assertEqual(told["ends"], "1 thread of ThreadPoolExecutor at work")
        self.assertEqual(status, 0)

    def test_executor_with_several_at_work_is_set_back_once(self) -> None:
        _, status = self.fork(BUSY_TWICE, BUSY_TWICE_AFTER)
        self.assertEqual(status, 0)

    def test_thread_of_a_program_is_lost(self) -> None:
        self.assert_lost(WAITER % "beat", "beat")

    def test_name_is_cut_and_printable(self) -> None:
        self.assert_lost(WAITER % (r"be\x1bat" + "x" * 100), "be?at" + "x" * 55)

    def test_words_are_cut_to_what_a_client_keeps(self) -> None:
        """It has room for 255 bytes (session/ping.h), and would cut within a character."""
        told, _ = self.fork("".join(WAITER % (f"{i}" + "\u0436" * 58) for i in range(4)))
        self.assertLessEqual(len(told["ends"].encode()), 200)
        self.assertTrue(told["ends"].startswith("1 thread of 0\u0436"), told["ends"])

    def test_pool_of_a_module_is_one_group(self) -> None:
        self.assert_lost("from multiprocessing.pool import ThreadPool; pool = ThreadPool(2)", "multiprocessing.pool", 5)

    def test_thread_that_the_module_threading_does_not_know(self) -> None:
        gate = "import _thread; gate = _thread.allocate_lock(); gate.acquire()"
        self.assert_lost(f"{gate}; _thread.start_new_thread(gate.acquire, ())", "Python")

    def test_looking_ends(self) -> None:
        told, status = self.fork(NAMELESS, "assert len(slept) < 3, slept")
        self.assertEqual(sum(one["count"] for one in told["threads"]), 3)  # one that still begins has another name
        self.assertEqual(status, 0)

    def test_groups_are_few(self) -> None:
        told, _ = self.fork("".join(WAITER % f"w{i}" for i in range(20)))
        self.assertEqual(len(told["threads"]), 13)
        self.assertEqual(told["threads"][-1], {"name": "others", "count": 8, "remade": False})

    @unittest.skipUnless(has_openmp(), "there is no libgomp with omp_pause_resource_all()")
    def test_openmp_is_usable_in_the_copy(self) -> None:
        told, status = self.fork(OPENMP, "parallel()")
        self.assertEqual((told, status), ({}, 0))

    @unittest.skipUnless(has_openmp(), "there is no libgomp with omp_pause_resource_all()")
    def test_openmp_that_is_not_ended_hangs(self) -> None:
        left_out = "import lostthreads; lostthreads.pause = lambda files: None"
        told, status = self.fork(left_out + OPENMP, "parallel()", hangs=True)
        self.assertEqual(told["threads"], [{"name": "OpenMP", "count": 2, "remade": True}])
        self.assertEqual(status, HUNG)


class Names(unittest.TestCase):
    """Of files of libraries."""

    def test_libraries_by_their_files(self) -> None:
        sys.path.insert(0, str(GUEST))
        self.addCleanup(sys.path.remove, str(GUEST))
        import lostthreads

        packages = "/usr/lib/python3/dist-packages"
        for path, expected in (
            (f"{packages}/_polars_runtime_32/_polars_runtime.abi3.so", ("polars", False)),
            (f"{packages}/_duckdb.cpython-311-x86_64-linux-gnu.so", ("duckdb", False)),
            (f"{packages}/torch/lib/libtorch_cpu.so", ("torch", False)),
            (f"{packages}/torch/lib/libgomp-98b21ff3.so.1", ("OpenMP", True)),
            (f"{packages}/numpy.libs/libscipy_openblas64_-32a4b2a6.so", ("OpenBLAS", True)),
            (f"{packages}/pyarrow/libarrow.so.2600", ("pyarrow", True)),
            (f"{packages}/numba/np/ufunc/workqueue.cpython-311-x86_64-linux-gnu.so", ("numba", True)),
            ("/usr/lib/x86_64-linux-gnu/libfoo.so.1", ("libfoo", False)),
            ("/usr/bin/python3.11", ("Python", False)),
        ):
            with self.subTest(path):
                self.assertEqual(lostthreads.what_is(path, forked=True), expected)
        files = [(10, 20, "/a"), (20, 30, "/b"), (40, 50, "/c")]
        found = [lostthreads.file_at(word, files) for word in (5, 10, 11, 19, 20, 21, 35, 41, 50)]
        self.assertEqual(found, ["", "", "/a", "/a", "", "/b", "", "/c", ""])
        gomp = "/usr/lib/x86_64-linux-gnu/libgomp.so.1.0.0"
        self.assertEqual(lostthreads.what_is(gomp, forked=False), ("numba", False))


if __name__ == "__main__":
    unittest.main()
