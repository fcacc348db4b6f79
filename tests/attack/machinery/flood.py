"""Threat: output that nobody takes, to a reader of which we must not become a part.

    flood out      without end
    flood sleep    none at all, and nothing is read: what is pasted stays where it is
"""

import sys
import time

while sys.argv[1] == "out":
    sys.stdout.write("x" * 1000 + "\n")
print("ready", flush=True)
while True:
    time.sleep(1)
