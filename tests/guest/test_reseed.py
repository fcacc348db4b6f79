"""Which generators of random numbers a nursery renews in its cells, and what it leaves behind."""

import json
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PATHS = [str(ROOT / "rootfs/guest"), str(ROOT / "tests/warm/preloads/held")]

# A nursery and two cells, which print one line each.
NURSERY = """
import json, os, sys
sys.path[:0] = {paths!r}
import reseed
watch = reseed.Watch()
watch.start()
{preload}
watch.stop()
generators = reseed.Generators(watch)
for _ in range(2):
    sys.stdout.flush()
    if os.fork() == 0:
        generators.renew()
        print(json.dumps({drawn}))
        sys.stdout.flush()
        os._exit(0)
    os.wait()
"""


def cells(preload: str, drawn: str, *flags: str) -> list[Any]:
    """Return what two cells draw after these imports; -S: site.py may import `random` as well."""
    script = NURSERY.format(paths=PATHS, preload=preload, drawn=drawn)
    done = subprocess.run(
        [sys.executable, *flags, "-c", script],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if done.returncode:
        raise AssertionError(done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


class Held(unittest.TestCase):
    """Generators in modules."""

    def test_those_of_entropy_differ_and_those_with_a_seed_do_not(self) -> None:
        a, b = cells("import holders", "[holders.draw(), sorted(holders.FIXED)]")
        self.assertEqual(sorted(k for k in a[0] if a[0][k] == b[0][k]), a[1])

    def test_shared_one(self) -> None:
        a, b = cells("import random", "random.random()")
        self.assertNotEqual(a, b)

    def test_shared_one_that_a_preload_has_seeded(self) -> None:
        """As in a cold run: os.fork() alone would seed it anew."""
        a, b = cells("from random import seed, random\nseed(3)", "random()")
        self.assertEqual(a, b)

    def test_imported_in_another_way(self) -> None:
        text = "import importlib\nr = importlib.import_module('random').Random(2)"
        a, b = cells(text, "r.random()")
        self.assertEqual(a, b)

    def test_without_the_module(self) -> None:
        a, b = cells("", "'random' in sys.modules", "-S")
        self.assertEqual((a, b), (False, False))

    def test_numpy(self) -> None:
        try:
            import numpy  # noqa: F401
        except ImportError:
            self.skipTest("cannot: this machine has no numpy")
        anew = "n.default_rng(), n.RandomState(), n.Generator(n.MT19937()), n.Generator(n.Philox())"
        anew += ", n.Generator(n.SFC64()), n.default_rng(n.SeedSequence().spawn(1)[0])"
        chosen = "n.default_rng(1 << 90), n.RandomState(3), n.Generator(n.SFC64(7))"
        text = f"import numpy.random as n\na = [{anew}]\nc = [{chosen}]\na[1].standard_normal()"
        drawn = "[[float(g.standard_normal()) for g in s] for s in (a, c)]"
        shared = "n.mtrand._rand._bit_generator"
        seeds = f"(getattr({shared}, 'seed_seq', None) or {shared}._seed_seq).spawn(1)[0]"
        a, b = cells(text, f"{drawn} + [[n.random(), n.default_rng({seeds}).random()]]")
        self.assertEqual([x for x, y in zip(a[0] + a[2], b[0] + b[2]) if x == y], [])
        self.assertEqual(a[1], b[1])


class Odd(unittest.TestCase):
    """Modules that are not what they seem."""

    def test_another_module_of_that_name(self) -> None:
        text = "import types\nsys.modules['random'] = types.ModuleType('random')\nimport random"
        self.assertEqual(cells(text, "1", "-S"), [1, 1])

    def test_class_whose_metaclass_lies(self) -> None:
        text = (
            "import random\n"
            "class Meta(type):\n"
            " def mro(cls): return type.mro(cls)\n"
            " def __subclasscheck__(cls, other): raise OSError\n"
            " def __instancecheck__(cls, other): raise OSError\n"
            " __mro__ = property(lambda cls: 1 / 0)\n"
            " __hash__ = None\n"
            "class Odd(metaclass=Meta): pass\n"
            "odd = Odd()"
        )
        self.assertEqual(cells(text, "1"), [1, 1])


class Traces(unittest.TestCase):
    """What a program could see of it: nothing."""

    def test_module_is_as_it_would_be(self) -> None:
        look = """[
            sorted(vars(random)), random.Random.seed.__code__.co_filename == random.__file__,
            random.SystemRandom.getrandbits.__code__.co_filename == random.__file__,
            type(random.__loader__).__name__, type(random.__spec__.loader).__name__,
            [type(finder).__name__ for finder in sys.meta_path],
            [name for name in sys.modules if name not in ('reseed', 'gc')],
        ]"""
        ours, _ = cells("import random", look, "-S")
        script = f"import json, os, sys, random\nprint(json.dumps({look}))"
        plain = subprocess.run(
            [sys.executable, "-S", "-c", script], capture_output=True, text=True, check=True
        )
        self.assertEqual(ours, json.loads(plain.stdout))

    def test_seeding_works_meanwhile(self) -> None:
        text = "import random\nr = random.Random(4)\nr.seed('x', version=1)\nx = r.random()"
        script = f"{text}\nprint(x)"
        plain = subprocess.run(
            [sys.executable, "-S", "-c", script], capture_output=True, text=True, check=True
        )
        self.assertEqual(str(cells(text, "x")[0]), plain.stdout.strip())

    def test_errors_are_those_of_the_module(self) -> None:
        text = "import random\ntry:\n random.Random([])\nexcept TypeError as e:\n x = str(e)"
        self.assertTrue(cells(text, "x")[0])
