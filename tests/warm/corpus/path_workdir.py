# flags: -w /tmp
import os

print(os.getcwd(), os.environ.get("PWD"), os.readlink("/proc/self/cwd"))
