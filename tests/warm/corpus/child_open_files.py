import subprocess

said = subprocess.run(["ls", "/proc/self/fd"], capture_output=True, text=True)
print(said.stdout.split())
said = subprocess.run("ls /proc/self/fd", shell=True, close_fds=False, capture_output=True, text=True)
print(said.stdout.split())
