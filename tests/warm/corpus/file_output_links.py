# flags: -v {out}:/output
import os

open("/output/file", "w").close()
os.symlink("file", "/output/link")
os.symlink("/etc/passwd", "/output/absolute")
os.symlink("nowhere", "/output/dangling")
os.link("/output/file", "/output/second")
print(os.path.realpath("/output/link"), os.stat("/output/file").st_nlink)
