import _ctypes
import _json
import importlib.machinery

print(importlib.machinery.EXTENSION_SUFFIXES, _ctypes.__name__, _json.__spec__.origin)
