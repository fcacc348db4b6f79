# stdin: b"0123456789abcde\n" * 65536
import hashlib
import sys

data = sys.stdin.buffer.read()
print(len(data), hashlib.sha256(data).hexdigest())
