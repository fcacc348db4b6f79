import io
import sys

binary = sys.stdout.detach()
binary.write(b"from the detached buffer\n")
sys.stdout = io.TextIOWrapper(binary, encoding="utf-16-le")
print("x")
