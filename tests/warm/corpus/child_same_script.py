# argv: first
import subprocess
import sys

print(sys.argv, flush=True)
if sys.argv[1] == "first":
    subprocess.run([sys.executable, __file__, "second"])
