import subprocess

print(subprocess.run("ulimit -a", shell=True, capture_output=True, text=True).stdout)
