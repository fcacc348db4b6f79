# After a change of ids without execve the kernel may give /proc/self to root.
import os

for name in ("", "/fd", "/environ", "/mem", "/maps", "/exe", "/cwd", "/io", "/auxv"):
    about = os.stat(f"/proc/self{name}", follow_symlinks=False)
    print(name, about.st_uid == os.getuid(), oct(about.st_mode))
print(open("/proc/self/environ", "rb").read(5), open("/proc/self/mem", "rb").fileno() > 2)
