"""Threat: a tree so deep that its collector overflows its stack, its paths or its descriptors.

Layer: the collector bounds depth and works by descriptor. The test judges it by the collector's
coming back with the good file, and in good order.
"""

import os

os.chdir("/output")
with open("good.txt", "w", encoding="ascii") as file:
    file.write("good\n")
depth = 0
try:
    while depth < 900:
        os.mkdir("d" * 64)
        os.chdir("d" * 64)
        depth += 1
    with open("bottom", "w", encoding="ascii") as file:
        file.write("x")
except OSError:
    pass
print(f"PLANTED {depth}", flush=True)
