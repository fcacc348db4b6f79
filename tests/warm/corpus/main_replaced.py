import sys
import types

sys.modules["__main__"] = types.ModuleType("__main__")
print(__name__, "still here")
