import socket

try:
    socket.create_connection(("192.0.2.1", 80), timeout=3)
except OSError as error:
    print(type(error).__name__, error)
