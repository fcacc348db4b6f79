import builtins

seen = []
original = builtins.__import__


def watch(name, *args, **kw):
    seen.append(name)
    return original(name, *args, **kw)


builtins.__import__ = watch
import colorsys  # noqa: E402, F401

print(seen)
