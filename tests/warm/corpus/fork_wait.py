import os

pid = os.fork()
if pid == 0:
    print("child", os.getppid())
    os._exit(7)
print(os.waitpid(pid, 0)[1] >> 8)
