# status: 1
import os
import pty

pid, fd = pty.fork()
if pid == 0:
    os.execvp("sh", ["sh", "-c", "test -t 0 && echo terminal"])
said = b""
try:
    while part := os.read(fd, 100):
        said += part
except OSError:
    pass
print(said, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
