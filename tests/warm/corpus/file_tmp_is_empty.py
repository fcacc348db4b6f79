import os
import tempfile

print(os.listdir("/tmp"), os.listdir(os.environ["HOME"]), os.listdir("/dev/shm"), os.listdir("/var/tmp") if os.path.exists("/var/tmp") else None)
with tempfile.NamedTemporaryFile() as file:
    print(oct(os.stat(file.name).st_mode), file.name.startswith("/tmp/tmp"))
