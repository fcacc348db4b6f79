# An orphan belongs to pid 1 of the sandbox, which reaps it.
import os
import time

read_end, write_end = os.pipe()
if os.fork() == 0:
    if os.fork() == 0:
        time.sleep(0.2)
        os.write(write_end, str(os.getppid()).encode())
        os._exit(0)
    os._exit(0)
os.wait()
print(os.read(read_end, 10))
time.sleep(0.2)
print(sorted(n for n in os.listdir("/proc") if n.isdigit()))
