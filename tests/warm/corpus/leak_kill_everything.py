# runs: 3
import os
import signal

try:
    os.kill(-1, signal.SIGKILL)
except ProcessLookupError as error:
    print(error)
for pid in range(1, 3000):
    if pid != os.getpid():
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
print("alone")
