import os

pid = os.posix_spawn("/bin/echo", ["echo", "spawned"], os.environ)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), pid)
