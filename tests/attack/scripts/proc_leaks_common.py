"""Threat: meminfo, stat and loadavg let sandboxes watch the host's load.

Layer: /proc without these (subset=pid), and texts of the sandbox's size in their place. It would
succeed when one of them tells of work, or of other memory than the limit.
"""

import _kit


def numbers(name: str) -> dict[str, list[str]]:
    """Return the words of each line by its first one."""
    with open(f"/proc/{name}", encoding="ascii") as lines:
        return {words[0]: words[1:] for line in lines if (words := line.split())}


def attack() -> str | None:
    """Read each."""
    memory, stat, load = numbers("meminfo"), numbers("stat"), numbers("loadavg")
    found = [name for name in ("MemFree:", "MemAvailable:") if memory[name] != memory["MemTotal:"]]
    found += [name for name in ("cpu", "intr", "ctxt") if any(word != "0" for word in stat[name])]
    found += [f"load {load}"] if list(load) != ["0.00"] else []
    return ", ".join(found)


_kit.run(attack)
