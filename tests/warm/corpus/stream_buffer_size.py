# The buffer holds 8192 bytes: what is beyond goes out before the raw write.
import os
import sys

sys.stdout.write("a" * 10_000)
os.write(1, b"|")
sys.stdout.buffer.write(b"b" * 10_000)
os.write(1, b"|")
print("c")
