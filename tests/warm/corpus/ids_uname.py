import os
import platform
import socket

print(os.uname()[:5], platform.node(), socket.gethostname(), socket.getfqdn())
