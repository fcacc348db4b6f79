# status: 138
import os
import signal

os.kill(os.getpid(), signal.SIGUSR1)
