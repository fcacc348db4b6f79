import subprocess

try:
    subprocess.run(["sleep", "30"], timeout=0.1)
except subprocess.TimeoutExpired as error:
    print(type(error).__name__, error.cmd)
