import os
import sys

os.execv(sys.executable, [sys.executable, "-c", "import os; print(os.getpid(), os.getppid(), os.listdir('/proc/self/fd'), os.getcwd())"])
