"""Threat: a file of a tebibyte that takes no room here, and all of it where it is copied to.

Layer: the collector's size limit counts apparent bytes, or keeps holes. The test judges it by
the room that arrives on the host.
"""

import os

os.chdir("/output")
with open("good.txt", "w", encoding="ascii") as file:
    file.write("good\n")
for number, size in enumerate((1 << 40, 1 << 36, 300 << 20, *[15 << 20] * 100)):
    try:
        with open(f"sparse-{number}", "wb") as file:
            file.write(b"head")
            os.ftruncate(file.fileno(), size)
    except OSError as error:
        print(f"{size}: {error}")
print("PLANTED", flush=True)
