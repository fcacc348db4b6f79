import subprocess

print(subprocess.run("echo $$ $PPID", shell=True, capture_output=True).stdout)
