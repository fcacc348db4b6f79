# runs: 3
import os
import time

print(sorted(n for n in os.listdir("/proc") if n.isdigit()))
if os.fork() == 0:
    time.sleep(60)
