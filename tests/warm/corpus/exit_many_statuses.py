import subprocess
import sys

codes = [0, 1, 2, 77, 126, 127, 128, 254]
for code in codes:
    print(subprocess.run([sys.executable, "-c", f"raise SystemExit({code})"]).returncode)
