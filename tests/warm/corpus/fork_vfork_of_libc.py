import ctypes
import os

libc = ctypes.CDLL(None)
pid = libc.fork()
if pid == 0:
    os._exit(3)
print(pid, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), os.getpid(), libc.getpid())
