# status: 129
import os
import signal

os.kill(os.getpid(), signal.SIGHUP)
