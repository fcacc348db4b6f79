import os
import signal

for number in (signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGTRAP, signal.SIGSYS):
    pid = os.fork()
    if pid == 0:
        os.kill(os.getpid(), number)
        os._exit(1)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
