import socket

server = socket.create_server(("::1", 0), family=socket.AF_INET6)
print(server.getsockname()[0], socket.has_dualstack_ipv6())
