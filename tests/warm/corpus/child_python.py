import subprocess
import sys

code = "import sys; print(sys.argv, sys.path[0], sys.flags.isolated, __name__)"
print(subprocess.run([sys.executable, "-c", code, "a"], capture_output=True, text=True).stdout)
