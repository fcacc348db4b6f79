# flags: -v {out}:/output
import os

for mode in (0o600, 0o644, 0o755, 0o400, 0o777):
    path = f"/output/{mode:o}"
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, mode))
    os.mkdir(path + ".d", mode)
os.umask(0o077)
open("/output/private", "w").close()
os.chmod("/output/private", 0o640)
