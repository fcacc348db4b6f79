# Everybody that this process may signal, itself not: pid 1 of the sandbox stays.
import os
import signal

child = os.fork()
if child == 0:
    signal.pause()
os.kill(-1, signal.SIGKILL)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
