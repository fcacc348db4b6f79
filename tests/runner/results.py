"""results - what became of tests: what failed by chance, what is said of it, and the last line."""

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from runner.schedule import Cost

FEW = 6  # classes and programs that fail by chance, of 640: one that is short of CPU for half a minute meets so many
CANNOT = "cannot:"  # begins the reason of a skip that no machine like this one can avoid


@dataclass
class Result:
    """What became of one item of pytest's: a test, or a program of C with all of its tests."""

    id: str
    outcomes: list[tuple[str, str, str]]  # name or "", kind, reason
    still_s: float = 0.0  # how long the machine stood still meanwhile

    @property
    def failed(self) -> bool:
        """Say whether something of it did."""
        return any(kind == "failed" for _, kind, _ in self.outcomes)

    @property
    def ended_badly(self) -> bool:
        """Say whether the end of its class failed."""
        return any(name == "(teardown)" and kind == "failed" for name, kind, _ in self.outcomes)

    @property
    def whole(self) -> str:
        """Return its class or program."""
        return self.id.rpartition("::")[0]


@dataclass
class Results:
    """All of them, in the order in which they came."""

    items: list[Result] = field(default_factory=list)
    counted: dict[str, int] = field(default_factory=dict)
    costs: dict[str, Cost] = field(default_factory=dict)  # of each class and program
    unsteady: list[str] = field(default_factory=list)  # failed though the machine did not stand still, then passed
    missing: list[str] = field(default_factory=list)  # what was to be performed, and was not

    def read(self, path: Path, still_s: Callable[[float, float], float]) -> None:
        """Add what conftest.py has written, one JSON object a line."""
        ids: set[str] = set()
        began: dict[str, float] = {}  # of each class: what keeps a test from its end may have begun before it
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            ids |= set(row.get("ids", ()))
            for what, number in row.get("counted", ()):
                self.counted[what] = self.counted.get(what, 0) + number
            if "class" in row:
                self.costs[row["class"]] = Cost(row["seconds"], row["cpu_s"])
            if "id" in row:
                outcomes = [tuple(outcome) for outcome in row["outcomes"]]
                since = began.setdefault(row["id"].rpartition("::")[0], row["began"])
                self.items.append(Result(row["id"], outcomes, still_s(since, row["over"])))
        self.missing += sorted(ids - {item.id for item in self.items})

    def doubtful(self) -> list[str]:
        """Return the ids of what failed on a machine that stood still; in CI of what did in few places.

        Where the end of a class failed, any of its tests may be why: then it is the class.
        """
        steady = {item.whole for item in self.items if item.failed and not item.still_s}
        all_are = os.environ.get("CI") == "true" and len(steady) <= FEW
        found = [i for i in self.items if i.failed and (all_are or i.still_s)]
        classes = {i.whole for i in found if i.ended_badly}
        return list(dict.fromkeys(i.whole if i.whole in classes else i.id for i in found))

    def replace(self, again: Iterable[str], others: "Results") -> None:
        """Let what was performed once more count: where it passed, or failed again."""
        names = set(again)
        skipped = {i.id for i in others.items if not i.failed and all(kind == "skipped" for _, kind, _ in i.outcomes)}
        stay = [i for i in self.items if not {i.id, i.whole} & names or (i.failed and i.id in skipped)]
        kept = {i.id for i in stay}
        self.unsteady += sorted(names & _failures(i for i in self.items if not i.still_s) - _failures([*stay, *others.items]))
        self.items = stay + [i for i in others.items if i.id not in kept]
        self.missing += others.missing

    def summarize(self, again: Callable[[str, str], str], repeated: int) -> int:
        """Print what did not pass, why, and one line about all; return the exit status."""
        for what, number in sorted(self.counted.items()):
            print(f"counted {number} {what}")
        rows = [(item.id, *outcome) for item in self.items for outcome in item.outcomes]
        rows += [(name, "", "failed", "it was not performed") for name in self.missing]
        for name, part, kind, reason in rows:
            if kind == "skipped":
                print(f"skipped {_title(name, part)}: {reason.strip()}")
        for name, part, kind, reason in rows:
            if kind == "failed":
                print(f"failed  {_title(name, part)}\n{reason.rstrip()}")
                if "/" in name:
                    print(f"    again: {again(name, part)}")
        count = {word: sum(kind == word for _, _, kind, _ in rows) for word in ("passed", "failed", "skipped")}
        # In CI a skip of what this machine could do counts as a failure.
        avoidable = sum(kind == "skipped" and not reason.startswith(CANNOT) for _, _, kind, reason in rows)
        if os.environ.get("CI") == "true" and avoidable:
            print(f"CI=true: {avoidable} skips without '{CANNOT} ...' count as failures")
            count["failed"] += avoidable
            count["skipped"] -= avoidable
        if not rows:
            print("no test has these names")
        for name in self.unsteady:
            print(f"unsteady: {name}")
        if repeated:
            print(f"performed once more: {repeated}")
        print(", ".join(f"{number} {kind}" for kind, number in count.items()))
        return 0 if rows and not count["failed"] else 1


def _failures(items: Iterable[Result]) -> set[str]:
    """Return the ids of what failed, and of its classes."""
    return {name for item in items if item.failed for name in (item.id, item.whole)}


def _title(name: str, part: str) -> str:
    return f"{name} {part}".rstrip()
