import os
import sys

sys.stdout.reconfigure(encoding="latin-1", line_buffering=True, errors="replace")
print("ü €")
os.write(1, b"raw\n")
