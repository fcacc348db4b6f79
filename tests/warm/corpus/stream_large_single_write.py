import os

data = b"0123456789abcdef" * 65536
while data:
    data = data[os.write(1, data) :]
