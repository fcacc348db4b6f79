import os
import py_compile
import sys

with open("/tmp/only.py", "w") as file:
    file.write("X = __file__\n")
py_compile.compile("/tmp/only.py", "/tmp/only.pyc")
os.unlink("/tmp/only.py")
sys.path.insert(0, "/tmp")
import only  # noqa: E402

print(only.X)
