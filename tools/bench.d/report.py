"""report - the tables of bench.md, and which targets are reached."""

import dataclasses
from typing import Any

import network
import engine
import faces
import staying
import warm
from rows import TITLES

MODES = {"back_to_back": "back to back", "spaced": "100 ms apart"}


@dataclasses.dataclass(frozen=True)
class Target:
    """A figure of ours beside what it should be."""

    text: str
    value: float | None  # None: could not be measured here
    limit: float
    unit: str
    at_most: bool = True

    @property
    def reached(self) -> bool:
        return self.value is not None and (
            self.value <= self.limit if self.at_most else self.value >= self.limit
        )

    def line(self) -> str:
        bound = f"{'at most' if self.at_most else 'at least'} {self.limit:g} {self.unit}".strip()
        if self.value is None:
            return f"not measured  {self.text}: {bound}"
        by = abs(self.value - self.limit)
        word = "reached" if self.reached else "MISSED "
        return f"{word} by {by:5.2f}  {self.text}: {self.value:.2f}, {bound}"


def _cell(result: dict[str, Any], row: str, mode: str, column: str, key: str) -> float | None:
    value = result["rows"].get(row, {}).get(mode, {}).get(column, {}).get(key)
    return None if value is None else float(value)


def _ratio(result: dict[str, Any], row: str, mode: str, over: str) -> float | None:
    """How many times slower than glovebox the other column is."""
    ours, theirs = (_cell(result, row, mode, c, "median") for c in ("glovebox", over))
    return theirs / ours if ours and theirs else None


def _over(result: dict[str, Any], name: str) -> float | None:
    ratio = result["speed"].get(name, {}).get("ratio")
    return None if ratio is None else (ratio - 1) * 100


def targets(result: dict[str, Any]) -> list[Target]:
    """The figures to reach, which we set ourselves."""
    found = []
    for mode, title in MODES.items():
        found += [
            Target(
                f"hello over the floor, {title}",
                _cell(result, "hello", mode, "glovebox", "excess"),
                3,
                "ms",
            ),
            Target(
                f"docker's hello / ours, {title}",
                _ratio(result, "hello", mode, "docker"),
                12,
                "times",
                False,
            ),
            Target(
                f"crun's hello / ours, {title}",
                _ratio(result, "hello", mode, "crun"),
                2.5,
                "times",
                False,
            ),
            Target(
                f"bubblewrap's hello / ours, {title}",
                _ratio(result, "hello", mode, "bubblewrap"),
                1,
                "times",
                False,
            ),
            Target(
                f"/bin/true in all, {title}",
                _cell(result, "true", mode, "glovebox", "median"),
                4,
                "ms",
            ),
        ]
    two = result["parallel"].get("2", {})
    share = two["glovebox"] / two["floor"] * 100 if "glovebox" in two and "floor" in two else None
    return found + [
        Target("glovebox --version", result["version"].get("median"), 1.5, "ms"),
        Target("resident memory of the supervisor", result["supervisor"].get("VmHWM_mb"), 3, "MB"),
        Target("hello runs per second at 2 in parallel, of the floor's", share, 85, "%", False),
        Target("cpu-bound Python over the floor", _over(result, "cpu"), 2, "%"),
        Target("syscall-bound Python over the floor", _over(result, "syscalls"), 10, "%"),
    ]


def _warm_targets(result: dict[str, Any]) -> list[Target]:
    return [Target(*row) for row in warm.targets(result["warm"])]


def _network_targets(result: dict[str, Any]) -> list[Target]:
    return [Target(*row) for row in network.targets(result["network"])]


def _faces_targets(result: dict[str, Any]) -> list[Target]:
    return [Target(*row) for row in faces.targets(result["faces"])]


def _engine_targets(result: dict[str, Any]) -> list[Target]:
    return [Target(*row) for row in engine.targets(result["engine"])]


def _staying_targets(result: dict[str, Any]) -> list[Target]:
    return [Target(*row) for row in staying.targets(result["staying"])]


def _times_table(result: dict[str, Any], mode: str) -> list[str]:
    rows = [row for row in result["rows"] if result["rows"][row].get(mode)]
    lines = [
        f"## {MODES[mode].capitalize()}",
        "",
        "Wall ms, median (minimum); in the row below: times the floor, median excess over the floor",
        "in the same rounds.",
        "",
        "| | " + " | ".join(TITLES[row] for row in rows) + " |",
        "|---" * (len(rows) + 1) + "|",
    ]
    for column in result["columns"]:
        cells, relations = [], []
        for row in rows:
            cell = result["rows"][row][mode].get(column)
            cells.append(f"{cell['median']:.1f} ({cell['min']:.1f})" if cell else "-")
            relations.append(
                f"{cell['ratio']:.2f}x, {cell['excess']:+.1f}" if cell and "ratio" in cell else ""
            )
        lines.append(f"| {column} | " + " | ".join(cells) + " |")
        if any(relations):
            lines.append("| | " + " | ".join(relations) + " |")
    return lines + [""]


def _cpu_table(result: dict[str, Any]) -> list[str]:
    """Less noisy than the clock on a busy machine."""
    rows = [row for row in result["rows"] if result["rows"][row].get("back_to_back")]
    lines = [
        "## CPU time, back to back",
        "",
        "Median ms of a run with all its processes; in brackets: more than the floor in the same",
        "rounds. Not in it is what the kernel does later on its own account (a network namespace",
        "is taken down that way).",
        "",
        "| | " + " | ".join(TITLES[row] for row in rows) + " |",
        "|---" * (len(rows) + 1) + "|",
    ]
    for column in result["reaping"]:
        cells = [result["rows"][row]["back_to_back"][column] for row in rows]
        texts = [
            f"{c['cpu']:.1f}" + (f" ({c['excess_cpu']:+.1f})" if "excess_cpu" in c else "")
            for c in cells
        ]
        lines.append(f"| {column} | " + " | ".join(texts) + " |")
    return lines + [""]


def _parallel_table(result: dict[str, Any]) -> list[str]:
    if not result["parallel"]:
        return []
    columns = list(next(iter(result["parallel"].values())))
    lines = ["## Runs of hello per second", "", "| in parallel | " + " | ".join(columns) + " |"]
    lines.append("|---" * (len(columns) + 1) + "|")
    for n, cells in result["parallel"].items():
        texts = [f"{cells[c]:.1f} ({cells[c] / cells['floor'] * 100:.0f} %)" for c in columns]
        lines.append(f"| {n} | " + " | ".join(texts) + " |")
    return lines + [""]


def _speed_table(result: dict[str, Any]) -> list[str]:
    if not result["speed"]:
        return []
    lines = [
        "## Speed of confined code",
        "",
        "The scripts time themselves; seconds, median; CPU time is less noisy.",
        "",
        "| | floor | glovebox | wall | CPU |",
        "|---|---|---|---|---|",
    ]
    for name, s in result["speed"].items():
        lines.append(
            f"| {name} | {s['floor']:.3f} | {s['glovebox']:.3f} | {(s['ratio'] - 1) * 100:+.1f} % "
            f"| {(s['cpu_ratio'] - 1) * 100:+.1f} % |"
        )
    return lines + [""]


def _introduction(result: dict[str, Any]) -> list[str]:
    about, spawn = result["about"], result["spawn"]
    return [
        "# Bench",
        "",
        f"{about['date']}, {about['cpus']} cpus ({about['cpu']}), Linux {about['kernel']}, "
        f"{about['cgroup']}, as {about['user']}, image {about['image']}; "
        f"load average {about['load_before']} before and {about['load_after']} after: "
        "on a busy machine read the ratios.",
        "",
        f"Each figure: {about['runs']} runs back to back and {about['runs_spaced']} spaced, "
        "alternating over all columns, page cache warm. Starting /bin/true with nothing around it "
        f"takes {spawn['median']:.2f} ms (minimum {spawn['min']:.2f}) by the same clock; it is "
        "part of every figure.",
        "",
        *(f"- {name}: {note}" for name, note in result["columns"].items()),
        *(f"- {name}: left out, {why}" for name, why in result["left_out"].items()),
        "",
    ]


def _small_things(result: dict[str, Any]) -> list[str]:
    version, with_file = result["version"], result["result_file"]
    return [
        "## Small things",
        "",
        f"- `glovebox --version`: {version['median']:.2f} ms ({version['min']:.2f})",
        f"- peak resident memory of the supervisor: {result['supervisor']['VmHWM_mb']:.2f} MB",
        f"- `--result-file` adds {with_file['excess']:+.2f} ms to hello (median of differences)",
        "",
    ]


def markdown(result: dict[str, Any]) -> str:
    """The whole report."""
    lines = _introduction(result)
    for mode in MODES:
        lines += _times_table(result, mode)
    lines += _cpu_table(result) + _parallel_table(result) + _speed_table(result)
    lines += _small_things(result)
    if result["warm"]:
        lines += warm.table(result["warm"])
    lines += staying.table(result["staying"])
    lines += engine.table(result["engine"])
    lines += faces.table(result["faces"])
    found = targets(result) + _warm_targets(result) + _network_targets(result) + _staying_targets(result) + _engine_targets(result) + _faces_targets(result)
    return "\n".join(lines + _target_lines(found))


def warm_only(result: dict[str, Any]) -> list[str]:
    """The figures of a warm supervisor alone."""
    return warm.table(result["warm"]) + _target_lines(_warm_targets(result))


def network_only(found: dict[str, float]) -> list[str]:
    """The figures of a list of hosts alone."""
    lines = [f"{name}: {value:.3f}" for name, value in found.items()]
    return [*lines, "", *_target_lines(_network_targets({"network": found}))]


def engine_only(found: dict[str, Any]) -> list[str]:
    """What the Engine's socket costs, by itself."""
    return engine.table(found) + _target_lines(_engine_targets({"engine": found}))


def faces_only(found: dict[str, Any]) -> list[str]:
    """What the APIs of other services cost, by themselves."""
    return faces.table(found) + _target_lines(_faces_targets({"faces": found}))


def staying_only(found: dict[str, Any]) -> list[str]:
    """The figures of sandboxes that stay alone."""
    return staying.table(found) + _target_lines(_staying_targets({"staying": found}))


def _target_lines(found: list[Target]) -> list[str]:
    return ["## Targets", "", "```", *(target.line() for target in found), "```", ""]
