import os
import sys

print("buffered one")
os.write(1, b"raw one\n")
sys.stdout.flush()
os.write(1, b"raw two\n")
print("buffered two")
sys.stderr.write("err one\n")
os.write(2, b"err two\n")
