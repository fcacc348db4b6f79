# status: 143
import os
import signal

print("buffered and lost")
os.kill(os.getpid(), signal.SIGTERM)
print("never")
