# A writable directory gets the compiled module, with the same bytes and mode.
# flags: -v {out}:/lib2
import os
import sys

with open("/lib2/module.py", "w") as file:
    file.write("X = 1\n\n\ndef f():\n    return X\n")
os.utime("/lib2/module.py", (1_600_000_000, 1_600_000_000))
sys.path.insert(0, "/lib2")
import module  # noqa: E402

print(module.f(), os.listdir("/lib2/__pycache__"), module.__cached__)
