import os

for name in sorted(os.listdir("/")):
    about = os.lstat("/" + name)
    print(name, oct(about.st_mode), about.st_uid == os.getuid())
