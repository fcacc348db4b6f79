# Nothing may have been read ahead: the child gets what is left, all of it.
# stdin: first\nsecond\n
import os
import subprocess

print(os.read(0, 6))
print(subprocess.run(["cat"], capture_output=True).stdout)
