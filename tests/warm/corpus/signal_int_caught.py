import os
import signal

try:
    os.kill(os.getpid(), signal.SIGINT)
    while True:
        pass
except KeyboardInterrupt as error:
    print("caught", repr(error))
