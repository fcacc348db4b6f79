import socket

for name in ("localhost", "sandbox", "example.com"):
    try:
        print(name, socket.gethostbyname(name))
    except OSError as error:
        print(name, type(error).__name__, error)
