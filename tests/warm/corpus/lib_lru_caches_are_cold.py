# Caches of the library that an earlier user of it has filled.
import fnmatch
import functools
import gc

print(fnmatch._compile_pattern.cache_info())
import typing  # noqa: E402

kind = type(fnmatch._compile_pattern)
print(sum(f.cache_info().currsize for f in gc.get_objects() if isinstance(f, kind) and f.__module__ == "fnmatch"))
