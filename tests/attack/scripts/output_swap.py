"""Threat: a directory is swapped for a link while the collector is between looking and opening.

Layer: collection begins when every process is dead. The test judges it by what arrives; a
daemon swaps as fast as it can until it is killed.
"""

import os

os.chdir("/output")
os.mkdir("real")
with open("real/file", "w", encoding="ascii") as file:
    file.write("real\n")
with open("good.txt", "w", encoding="ascii") as file:
    file.write("good\n")
os.symlink("/etc", "trap")
if os.fork() == 0:
    os.setsid()
    while True:
        os.rename("real", "spare")
        os.rename("trap", "real")
        os.rename("real", "trap")
        os.rename("spare", "real")
print("PLANTED", flush=True)
