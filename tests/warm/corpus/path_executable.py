import os
import sys

print(sys.executable, sys.prefix, sys.exec_prefix, sys.base_prefix, sys._base_executable)
print(os.path.realpath(sys.executable), os.readlink("/proc/self/exe"))
