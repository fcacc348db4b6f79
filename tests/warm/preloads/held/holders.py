"""holders - a module that holds generators of random numbers, to be preloaded."""

import os
import random
import secrets
import time


class Silent(random.Random):
    """Its seed() does nothing: it keeps what its making gave it."""

    def seed(self, *_: object) -> None:
        """Do nothing."""


ANEW = {
    "made": random.Random(),
    "again": random.Random(5),
    "drawn": random.Random(secrets.randbits(128)),
    "bytes": random.Random(os.urandom(16)),
    "clock": random.Random(time.time()),
    "second": random.Random(int(time.time())),
    "silent": Silent(),
    "half": random.Random(),
}
ANEW["again"].seed()
ANEW["half"].gauss(0, 1)  # the other half is kept

FIXED = {
    "number": random.Random(0),
    "later": random.Random(),
    "text": random.Random("text"),
    "used": random.Random(1),
}
FIXED["later"].seed(7)
FIXED["used"].random()


def draw() -> dict[str, list[float]]:
    """Return what each gives next."""
    return {name: [r.gauss(0, 1), r.random()] for name, r in (ANEW | FIXED).items()}
