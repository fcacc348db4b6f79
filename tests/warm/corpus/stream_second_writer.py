import os
import sys

with os.fdopen(os.dup(1), "w") as second:
    second.write("through a copy\n")
print("through the first")
open(1, "w", closefd=False).write("a third\n")
