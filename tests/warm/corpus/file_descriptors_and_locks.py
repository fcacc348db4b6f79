import fcntl
import os

with open("/tmp/lock", "w") as file:
    fcntl.flock(file, fcntl.LOCK_EX)
    if os.fork() == 0:
        try:
            fcntl.flock(open("/tmp/lock"), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            print(error, flush=True)
        os._exit(0)
    os.wait()
