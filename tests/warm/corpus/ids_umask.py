import os

old = os.umask(0o027)
print(oct(old), oct(os.umask(0o022)))
open("/tmp/file", "w").close()
os.mkdir("/tmp/dir")
print(oct(os.stat("/tmp/file").st_mode), oct(os.stat("/tmp/dir").st_mode))
