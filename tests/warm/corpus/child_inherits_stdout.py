import subprocess
import sys

print("before", flush=True)
subprocess.run(["echo", "from the child"])
subprocess.run(["sh", "-c", "echo to stderr >&2"])
sys.stderr.write("after\n")
print("after")
