import os
import signal

for number in (0, signal.SIGTERM, signal.SIGKILL):
    try:
        print(os.kill(1, number))
    except OSError as error:
        print(error)
