# flags: --ulimit fsize=1000
# warm: auto
try:
    with open("/tmp/big", "wb") as file:
        file.write(b"x" * 5000)
except OSError as error:
    print(error)
