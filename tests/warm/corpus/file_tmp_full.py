# flags: --tmpfs /tmp:size=1m
try:
    with open("/tmp/big", "wb") as file:
        file.write(b"x" * 2_000_000)
except OSError as error:
    print(error)
