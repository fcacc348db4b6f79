# A child that still holds stdout does not keep the sandbox alive.
import os
import time

if os.fork() == 0:
    time.sleep(60)
    os._exit(0)
print("parent ends")
