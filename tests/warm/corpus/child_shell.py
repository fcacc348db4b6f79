import subprocess

print(subprocess.run("echo $0; exit 3", shell=True, capture_output=True, text=True))
