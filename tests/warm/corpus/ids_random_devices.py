import os

for path in ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"):
    about = os.stat(path)
    print(path, oct(about.st_mode), about.st_rdev, about.st_uid)
