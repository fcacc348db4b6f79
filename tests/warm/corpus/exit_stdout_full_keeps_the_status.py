# status: 120
import os
import sys

os.dup2(os.open("/dev/full", os.O_WRONLY), 1)
print("no space")
sys.exit(3)
