# status: 137
import os
import signal

print("lost in the buffer")
os.write(1, b"written\n")
os.kill(os.getpid(), signal.SIGKILL)
