import os

for path in ("/", "/tmp", "/dev/shm", "/home/sandbox", "/dev"):
    about = os.statvfs(path)
    print(path, about.f_bsize if path != "/" else "", about.f_blocks if path != "/" else "", about.f_flag)
