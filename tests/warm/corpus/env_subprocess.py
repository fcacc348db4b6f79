# env: A=1
import subprocess

print(subprocess.run("env | sort", shell=True, capture_output=True, text=True).stdout)
