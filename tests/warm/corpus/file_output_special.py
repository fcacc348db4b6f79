# flags: -v {out}:/output
import os
import socket

os.mkfifo("/output/fifo")
socket.socket(socket.AF_UNIX).bind("/output/socket")
try:
    os.mknod("/output/device", 0o020666, os.makedev(1, 3))
except OSError as error:
    print(error)
