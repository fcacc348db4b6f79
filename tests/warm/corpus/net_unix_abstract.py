# Names without a file live in the network namespace: nobody else's are there.
# runs: 2
import socket

server = socket.socket(socket.AF_UNIX)
server.bind("\0fixed-name")
print(server.getsockname(), open("/proc/self/net/unix").read().count("\n"))
