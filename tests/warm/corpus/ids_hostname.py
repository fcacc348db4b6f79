# flags: --hostname other
import os
import socket

print(os.uname().nodename, socket.gethostname(), os.environ["HOSTNAME"])
