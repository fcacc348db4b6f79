import sys

sys.modules["json"] = None
try:
    import json  # noqa: F401
except ImportError as error:
    print(type(error).__name__, error)
