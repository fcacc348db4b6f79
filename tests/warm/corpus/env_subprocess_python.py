# env: A=1
import subprocess
import sys

code = "import os; print(sorted(os.environ.items()))"
print(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout)
