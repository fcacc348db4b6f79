"""Threat: an earlier run has left a link in the host's output directory (through a plain
volume); a later one has the supervisor write through it.

Layer: the collector opens below the directory and follows nothing there. The test judges it by
the link's target, outside, which must stay as it was.
"""

import os

os.chdir("/output")
with open("report.txt", "w", encoding="ascii") as file:
    file.write("overwritten by the sandbox\n")
os.mkdir("folder")
with open("folder/victim.txt", "w", encoding="ascii") as file:
    file.write("overwritten by the sandbox\n")
print("PLANTED", flush=True)
