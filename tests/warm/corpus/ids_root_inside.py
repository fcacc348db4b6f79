# flags: --user 0:0
# warm: auto
import os

print(os.getuid(), os.path.expanduser("~"), os.environ["HOME"], os.access("/etc", os.W_OK))
