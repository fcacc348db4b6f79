# status: 130
import os
import signal
import time

if os.fork() == 0:
    time.sleep(0.3)
    os.kill(os.getppid(), signal.SIGINT)
    os._exit(0)
time.sleep(5)
