# argv: marker 'a b'
import os
import subprocess

command = f"tr '\\0' '|' </proc/{os.getpid()}/cmdline"
print(subprocess.run(["sh", "-c", command], text=True, capture_output=True).stdout)
