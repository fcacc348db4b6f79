# The stack of C, too, is as large as it is in a fresh process.
import sys
from functools import reduce

sys.setrecursionlimit(60_000)


def deep(n):
    return n if n == 0 else reduce(lambda a, b: deep(n - 1), (1, 2))


print(deep(9_000))
