import os

print(os.getuid(), os.geteuid(), os.getgid(), os.getegid(), os.getgroups(), os.getresuid(), os.getresgid())
