import os
import subprocess

os.environ.clear()
print(dict(os.environ), subprocess.run(["/usr/bin/env"], capture_output=True).stdout)
