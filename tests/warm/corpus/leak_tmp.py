# runs: 3
import os

print(os.listdir("/tmp"), os.listdir("/dev/shm"), os.listdir(os.environ["HOME"]))
for folder in ("/tmp", "/dev/shm", os.environ["HOME"]):
    open(f"{folder}/left", "w").close()
