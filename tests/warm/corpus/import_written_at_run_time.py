import importlib
import sys

sys.path.insert(0, "/tmp")
with open("/tmp/made.py", "w") as file:
    file.write("X = 'first'\n")
import made  # noqa: E402

print(made.X)
with open("/tmp/made.py", "w") as file:
    file.write("X = 'second and longer'\n")
importlib.reload(made)
print(made.X)
