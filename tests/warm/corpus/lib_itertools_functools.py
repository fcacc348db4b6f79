import functools
import itertools


@functools.lru_cache
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


print(fib(100), fib.cache_info(), list(itertools.accumulate([1, 2, 3])), next(itertools.count()))
