"""reseed - generators of random numbers that the preloads hold draw anew in every cell.

A cell is a copy: a generator that a module has seeded from the system's entropy at import
would give each cell the same numbers. One that a module has seeded with a fixed number
gives the same numbers in every cold run, and must continue to do so. The state does not tell
which it is, so the seeding is watched while the preloads are imported: two functions of
`random` have other code meanwhile, and nothing else of that is visible. They are

    Random.seed               who was seeded last with what; numpy does not use it
    SystemRandom.getrandbits  what was drawn: numpy's seeds come from it, by way of `secrets`

The generators are looked for once, in the nursery; a cell only draws. Unseen seeding
counts as seeding from entropy. A state that was set by hand (setstate) is not noticed.
"""

import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing them would be visible
    from collections.abc import Callable
    from types import ModuleType as Module
    from typing import Any

CHOSEN_MAX = 1 << 31  # nobody writes larger seeds by hand
DAY = 86400


class Loader:
    """The loader of `random`, followed by a call; it leaves no trace in the module."""

    def __init__(self, loader: "Any", call: "Callable[[Module], None]") -> None:
        self.loader = loader
        self.call = call

    def create_module(self, spec: "Any") -> "Module | None":
        """Return what the loader makes."""
        return self.loader.create_module(spec)

    def exec_module(self, module: "Module") -> None:
        """Load it, and make the call."""
        module.__spec__.loader = module.__loader__ = self.loader
        self.loader.exec_module(module)
        self.call(module)


class Template:
    """The code that two functions have meanwhile, of the same shape as theirs."""

    def seed(self: "Any", a: "Any" = None, version: int = 2) -> None:
        """Note it; as the original, this has a cell for its class."""
        __class__  # noqa: B018
        _glovebox_watch.note(self, a)  # noqa: F821
        return _glovebox_watch.seed(self, a, version)  # noqa: F821

    def getrandbits(self: "Any", k: int) -> int:
        """Note what was drawn."""
        drawn = _glovebox_watch.getrandbits(self, k)  # noqa: F821
        _glovebox_watch.drawn.add(drawn)  # noqa: F821
        return drawn


class Watch:
    """Records which generators were seeded with what, from start() to stop()."""

    def __init__(self) -> None:
        self.drawn: set[int] = set()
        self.chosen: dict[int, object] = {}  # generators with a seed of their own, by id
        self.changed: list[tuple[Any, Any]] = []  # functions, and their code
        self.random: Module | None = None

    def start(self) -> None:
        """Watch `random` as soon as it is imported, which is left to the preloads."""
        if "random" in sys.modules:
            self.attach(sys.modules["random"])
        else:
            sys.meta_path.insert(0, self)

    def find_spec(self, name: str, path: "Any" = None, target: "Any" = None) -> "Any":
        """As a finder: return what the others find, with a call added."""
        if name != "random":
            return None
        found = (f.find_spec(name, path, target) for f in sys.meta_path if f is not self)
        spec = next(filter(None, found), None)
        if spec and spec.loader:
            spec.loader = Loader(spec.loader, self.attach)
        return spec

    def attach(self, module: "Module") -> None:
        """Replace the code of two functions. If that is impossible, everything counts as entropy."""
        if self.random or not is_standard(module):
            return
        self.random = module
        module._glovebox_watch = self
        self.seed = self.exchange(module.Random.seed, Template.seed)
        self.getrandbits = self.exchange(module.SystemRandom.getrandbits, Template.getrandbits)

    def exchange(self, function: "Any", template: "Any") -> "Any":
        """Return a copy of a function that gets other code."""
        code = function.__code__
        copy = type(function)(
            code,
            function.__globals__,
            function.__name__,
            function.__defaults__,
            function.__closure__,
        )
        try:
            function.__code__ = template.__code__
        except ValueError:  # it has another shape
            return copy
        self.changed.append((function, code))
        return copy

    def stop(self) -> None:
        """Restore everything."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        for function, code in self.changed:
            function.__code__ = code
        if self.random:
            del self.random._glovebox_watch

    def note(self, generator: object, seed: object) -> None:
        """Keep generators with a seed of their own."""
        if self.is_chosen(seed):
            self.chosen[id(generator)] = generator
        else:
            self.chosen.pop(id(generator), None)

    def is_chosen(self, seed: object) -> bool:
        """Tell whether this seed was chosen: not None, not drawn, not from a clock."""
        if isinstance(seed, str):
            return True
        return (
            isinstance(seed, int)
            and abs(seed) < CHOSEN_MAX
            and abs(seed - time.time()) > DAY
            and (seed not in self.drawn or seed < 1 << 16)
        )


class Generators:
    """The generators that a cell must renew."""

    def __init__(self, watch: Watch) -> None:
        """Find them, in the nursery."""
        self.random = watch.random or sys.modules.get("random")
        if not is_standard(self.random):
            self.random = None
        self.pythons: list[Any] = []
        self.numpys: list[tuple[Any, Any]] = []  # with the functions that make them anew
        self.shared_state: Any = None  # of random._inst, if a preload has seeded it
        if not self.random:
            return
        kinds = numpy_kinds()
        found = instances((self.random.Random, *kinds))
        owned = {id(sequence_of(one)) for one in found}  # made anew with its owner
        for one in found:
            if isinstance(one, self.random.Random):
                self.add_python(one, watch)
            elif id(one) not in owned:
                self.add_numpy(one, kinds, watch)

    def add_python(self, one: "Any", watch: Watch) -> None:
        """os.fork() seeds the shared one anew, which is right only if no preload has seeded it."""
        if isinstance(one, self.random.SystemRandom):
            return
        is_shared = one is getattr(self.random, "_inst", None)
        is_chosen = id(one) in watch.chosen
        if is_shared and is_chosen:
            self.shared_state = one.getstate()
        elif not is_shared and not is_chosen:
            self.pythons.append(one)

    def add_numpy(self, one: "Any", kinds: "tuple[Any, ...]", watch: Watch) -> None:
        """A sequence of seeds, a bit generator, or a RandomState, which keeps half a drawing."""
        sequences, _, states = kinds
        if isinstance(one, states):
            if seeds_of(one._bit_generator) in watch.drawn:
                state = one.get_state(legacy=False)
                one.set_state(state | {"has_gauss": 0, "gauss": 0.0})
            return
        if isinstance(one, sequences):
            init = sequences.__init__
        else:
            module = sys.modules["numpy.random"]
            ours = (t for t in type(one).__mro__ if getattr(module, t.__name__, None) is t)
            init = next((t.__init__ for t in ours), None)
        if init and seeds_of(one) in watch.drawn:
            self.numpys.append((one, init))

    def renew(self) -> None:
        """Seed them all from the system's entropy, in a cell."""
        if self.shared_state:
            self.random._inst.setstate(self.shared_state)
        for one in self.pythons:
            self.random.Random.seed(one)
        for one, init in self.numpys:
            init(one)  # in place, since others hold its address


def is_standard(module: object) -> bool:
    """Tell whether this is CPython's module, and not another of that name."""
    methods = (("Random", "seed"), ("SystemRandom", "getrandbits"))
    found = (getattr(getattr(module, kind, None), name, None) for kind, name in methods)
    return all(hasattr(function, "__code__") for function in found)


def numpy_kinds() -> "tuple[Any, ...]":
    """Return numpy's classes that have a state; nothing where there is no numpy."""
    module = sys.modules.get("numpy.random")
    names = ("SeedSequence", "BitGenerator", "RandomState")
    found = tuple(filter(None, (getattr(module, name, None) for name in names)))
    return found if len(found) == len(names) else ()


def sequence_of(one: object) -> "Any":
    """Return a bit generator's sequence of seeds, which has another name before numpy 1.25."""
    return getattr(one, "seed_seq", None) or getattr(one, "_seed_seq", None)


def seeds_of(one: object) -> "int | None":
    """Return the number that a generator or a sequence of seeds was made from; or None."""
    number = getattr(sequence_of(one) or one, "entropy", None)
    return number if isinstance(number, int) else None


def instances(kinds: "tuple[type, ...]") -> "list[Any]":
    """Return all objects of these classes."""
    import gc

    objects = gc.get_objects()
    types = {id(kind): kind for kind in map(type, objects)}  # a metaclass may forbid hash()
    wanted = {number for number, kind in types.items() if is_one_of(kind, kinds)}
    return [one for one in objects if id(type(one)) in wanted]


def is_one_of(kind: type, kinds: "tuple[type, ...]") -> bool:
    """Tell whether a class is below one of these, without asking its metaclass."""
    return any(base is one for base in type.__dict__["__mro__"].__get__(kind) for one in kinds)
