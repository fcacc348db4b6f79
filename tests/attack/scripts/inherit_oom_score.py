"""Threat: a sandbox that is as dear to the kernel as its caller outlives others when memory is
short.

Layer: priority. It would succeed when the score is that of an ordinary process or below, or
the score can be lowered.
"""

import _kit


def attack() -> str | None:
    """Read the score, then try to lower it."""
    with open("/proc/self/oom_score_adj", encoding="ascii") as file:
        score = int(file.read())
    try:
        with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
            file.write("-1")
        return "it was lowered"
    except OSError:
        pass
    return f"the score is {score}" if score <= 0 else None


_kit.run(attack)
