"""Threat: a daemon stays behind when the program has ended.

Layer: pid namespace: its end is the end of all. The test judges it by looking for our command
line, which has a word of its own, among the host's processes.
"""

import os
import time

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.close(0)
        time.sleep(60)
    os._exit(0)
print("HELD", flush=True)
os._exit(1)
