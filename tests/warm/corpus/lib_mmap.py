import mmap
import os

with mmap.mmap(-1, 100) as area:
    area[:5] = b"hello"
    if os.fork() == 0:
        area[0:1] = b"J"
        os._exit(0)
    os.wait()
    print(area[:5])
