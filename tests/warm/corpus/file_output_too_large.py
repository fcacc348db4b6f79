# flags: --output {out},size=64k
try:
    with open("/output/big", "wb") as file:
        file.write(b"x" * 100_000)
except OSError as error:
    print(error)
