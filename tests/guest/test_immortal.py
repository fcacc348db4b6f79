"""immortal.py: what it changes for objects that are there, and for those that come."""

import subprocess
import sys
import unittest

from support.run import ROOT

BEFORE = f"""
import gc, os, sys, weakref
sys.path.insert(0, {str(ROOT / "rootfs/guest")!r})
import immortal
"""

COUNTS = """
import json
class Old:
    pass
old, none = Old(), sys.getrefcount(None)
print(immortal.make() > 10_000)
print({sys.getrefcount(one) >= none for one in (json, json.dumps, json.dumps.__code__.co_consts, Old, old)})
print(sys.getrefcount(Old()) < 10, sys.getrefcount([]) < 10)
"""

DESTRUCTORS = """
class Kind:
    def __init__(self, name):
        self.name = name
    def __del__(self):
        print(self.name)
old = Kind("old")
immortal.make()
new = Kind("new")
kept = [Kind("in a new list")]
os.kept = Kind("in an old module")
del old, new, kept[:]
seen = weakref.ref(os.kept)
del os.kept
print(seen())
cycle = [Kind("in a cycle")]
cycle.append(cycle)
del cycle
gc.collect()
"""

# Private pages that a copy writes to while it only looks at objects.
WRITTEN = """
import json, http.client, email.mime.text, argparse, decimal
words = [["%d" % n] for n in range(100_000)]
gc.collect()
if sys.argv[1] == "immortal":
    immortal.make()
gc.freeze()

def dirty():
    with open("/proc/self/smaps_rollup") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith("Private_Dirty"))

def look():
    for word in words:
        other = word[0]

ours, theirs = os.pipe()
if os.fork() == 0:
    before = dirty()
    look()
    os.write(theirs, b"%d" % (dirty() - before))
    os._exit(0)
print(int(os.read(ours, 100)))
"""


def lines(script: str, *argv: str) -> list[str]:
    """Return what a script prints."""
    command = [sys.executable, "-c", BEFORE + script, *argv]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    if done.returncode or done.stderr:
        raise AssertionError(f"{done.returncode}: {done.stderr}")
    return done.stdout.splitlines()


@unittest.skipIf(sys.version_info < (3, 12), "cannot: before 3.12 Python counts every reference (PEP 683)")
class Immortal(unittest.TestCase):
    """What was there has the count of None; what comes has one of its own."""

    def test_counts(self) -> None:
        self.assertEqual(lines(COUNTS), ["True", "{True}", "True True"])

    def test_what_comes_later_is_destroyed(self) -> None:
        gone = ["new", "in a new list", "in an old module", "None", "in a cycle"]
        self.assertEqual(lines(DESTRUCTORS), gone)

    def test_a_copy_that_looks_writes_nothing(self) -> None:
        counted, immortal = (int(lines(WRITTEN, how)[0]) for how in ("counted", "immortal"))
        self.assertLess(immortal * 4, counted)


@unittest.skipIf(sys.version_info >= (3, 12), "cannot: this Python has immortal objects")
class Counted(unittest.TestCase):
    """An older Python."""

    def test_nothing_is_changed(self) -> None:
        self.assertEqual(lines("print(immortal.make(), sys.getrefcount(immortal) < 10)"), ["0 True"])
