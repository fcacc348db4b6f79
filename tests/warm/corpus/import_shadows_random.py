# files: random.py=def random():\n    return "mine"\n
import random

print(random.random(), random.__file__)
