# status: 143
import os
import signal

os.killpg(0, signal.SIGTERM)
