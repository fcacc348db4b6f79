import os
import socket

print(os.open("/dev/null", os.O_RDONLY), os.dup(0), os.pipe(), socket.socket().fileno())
