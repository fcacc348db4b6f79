import os

print(os.getpid(), os.getppid(), os.getpgrp(), os.getsid(0), os.getpgid(0))
