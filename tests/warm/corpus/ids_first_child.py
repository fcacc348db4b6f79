import os

pid = os.fork()
if pid == 0:
    os._exit(os.getpid())
print(pid, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
