# flags: --pids-limit 5
import os

pids = []
try:
    for _ in range(10):
        pid = os.fork()
        if pid == 0:
            os.read(os.pipe()[0], 1)
        pids.append(pid)
except OSError as error:
    print(len(pids), error)
for pid in pids:
    os.kill(pid, 9)
