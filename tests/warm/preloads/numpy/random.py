"""random - a global generator that nobody seeds anew after a fork, as numpy's."""

import random as _random

_global = _random.Random()
seed, random = _global.seed, _global.random
default_rng = _random.SystemRandom
