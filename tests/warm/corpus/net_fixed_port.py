# The same port in every run: each has a network of its own.
# runs: 2
import socket

server = socket.create_server(("0.0.0.0", 8080))
print(server.getsockname())
