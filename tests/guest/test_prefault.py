"""Which pages a cell requests, and when; and the nursery's memory in huge pages.

Each script runs in a process of its own, with the guest of the build.
"""

import subprocess
import sys
import unittest
from pathlib import Path

from support.run import GLOVEBOX

GUEST = Path(GLOVEBOX).parents[1] / "guest"
BEFORE = f"""
import ctypes, mmap, os, signal, socket, sys, time
HERE = {str(GUEST)!r}
sys.path.insert(0, HERE)
PAGE = mmap.PAGESIZE

def address(memory):
    return ctypes.addressof(ctypes.c_char.from_buffer(memory))
"""

# A region that this process has written, whose pages a copy writes from the tenth to the twentieth;
# the one that watches it writes all of them.
EXPLORED = """
import prefault
region = mmap.mmap(-1, 100 * PAGE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
region.write(b"n" * len(region))

def write(first, end):
    region[first * PAGE : end * PAGE] = b"c" * ((end - first) * PAGE)

touched = prefault.touched
def watch(pid):
    write(0, 100)
    return touched(pid)

prefault.touched = watch
def act():
    write(10, 20)
    prefault.stop()

pages, more = prefault.profiles(act, lambda: (write(18, 25), prefault.stop()))
for found in (pages, more):
    numbers = [(page - address(region)) // PAGE for page in found]
    print([n for n in numbers if 0 <= n < 100])
print(set(how for page, how in pages.items() if 0 <= page - address(region) < 100 * PAGE))
print(prefault.explore(lambda: os._exit(0)))
"""

# A copy waits in cell_enter(); what it has of a region is asked of its page table.
IDLE = """
import prefault, program
region = mmap.mmap(-1, 64 * PAGE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
pages = {{address(region) + n * PAGE: prefault.POPULATE_WRITE for n in {pages}}}
fork = program.Fork(likely=prefault.Pages.of(pages))
ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
pid = os.fork()
if pid == 0:
    ours.close()
    place = program.Place(theirs.fileno(), theirs.fileno())
    four = [ctypes.byref(s) for s in (place, fork, program.Memory(), ctypes.c_void_p(), ctypes.c_void_p())]
    ctypes.PyDLL(HERE + "/cell.so").cell_enter(*four)

def present():
    with open(f"/proc/{{pid}}/pagemap", "rb", buffering=0) as file:
        entries = os.pread(file.fileno(), 64 * 8, address(region) // PAGE * 8)
    return [n for n in range(64) if entries[8 * n + 7] & 0x80]

end = time.monotonic() + 60
while present() != {pages} and time.monotonic() < end:
    time.sleep(0.01)
print(present())
theirs.close()
ours.close()
print(os.waitpid(pid, 0)[1])
"""

HUGE = """
import gc
before = set(sys.modules)
import hugepages
print(hugepages.gather(), set(sys.modules) - before)
kept = [[number] for number in range(400_000)]
gone = [[number] for number in range(400_000)]
hugepages.disperse()
del gone
gc.collect()

def huge():
    with open("/proc/self/smaps_rollup") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith("AnonHugePages"))

madvise = ctypes.PyDLL(None).madvise
madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
made = hugepages.collapse(madvise)
print(made > 3 and huge() * 1024 >= made * hugepages.HUGE or "none", kept == [[n] for n in range(400_000)])
more = [[number] for number in range(400_000)]
"""


def lines(script: str) -> list[str]:
    """Return what a script prints."""
    command = [sys.executable, "-c", BEFORE + script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    if done.returncode:
        raise AssertionError(f"{done.returncode}: {done.stderr}")
    return done.stdout.splitlines()


class Profiles(unittest.TestCase):
    """prefault.py, and cell.c."""

    def test_what_only_the_copy_has_written(self) -> None:
        found = lines(EXPLORED)
        self.assertEqual(found, [str(list(range(10, 20))), str(list(range(20, 25))), "{23}", "{}"])

    def test_a_cell_that_nobody_calls_requests_what_is_likely(self) -> None:
        pages = [3, 4, 5, 17, 40]
        self.assertEqual(lines(IDLE.format(pages=pages)), [str(pages), "0"])


class HugePages(unittest.TestCase):
    """hugepages.py, and arenas.c."""

    def test_small_objects_lie_in_huge_pages(self) -> None:
        gathered, collapsed = lines(HUGE)
        self.assertEqual(gathered, "True {'hugepages'}")
        if collapsed == "none True":
            self.skipTest("cannot: this kernel makes no huge pages when asked (Linux 6.1)")
        self.assertEqual(collapsed, "True True")

    def test_without_the_library_nothing_changes(self) -> None:
        script = "import hugepages\nhugepages.HERE = '/nonexistent'\nprint(hugepages.gather())"
        self.assertEqual(lines(script), ["False"])
