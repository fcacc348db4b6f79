# status: 1
b"\xff".decode()
