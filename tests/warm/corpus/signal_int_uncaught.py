# status: 130
import os
import signal

print("before")
os.kill(os.getpid(), signal.SIGINT)
while True:
    pass
