# status: 3
import os
import sys

print("lost")
sys.stderr.write("kept\n")
os._exit(3)
