import os
import socket

print(sorted(os.listdir("/proc/self/net"))[:3], socket.if_nameindex.__name__)
print(open("/proc/self/net/dev").read().count("lo:"), open("/proc/self/net/tcp").read().count("\n"))
try:
    print(socket.socketpair()[0].family, socket.socket(socket.AF_NETLINK))
except OSError as error:
    print(error)
