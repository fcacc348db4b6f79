import os
import subprocess

os.environ["NEW"] = "väl"
del os.environ["HOME"]
said = subprocess.run(["env"], capture_output=True).stdout.splitlines()
print(sorted(said))
