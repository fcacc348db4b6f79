# flags: --memory 64m --tmpfs /big:size=500m
# status: 137
with open("/big/file", "wb") as file:
    for _ in range(200):
        file.write(b"x" * (1 << 20))
