import subprocess

print("printed first, written last")
subprocess.run(["echo", "written first"])
