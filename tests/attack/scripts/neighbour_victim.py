"""Threat: none; this is the victim of the neighbour_* scripts: it has something of everything.

It prints READY, waits until its standard input ends, and says whether a signal came.
"""

import ctypes
import signal
import socket
import sys

TOKEN = sys.argv[1]
PORT, KEY = 47_115, 0x61C5E1
hits: list[int] = []
for number in (signal.SIGURG, signal.SIGTERM, signal.SIGUSR1):
    signal.signal(number, lambda n, _: hits.append(n))

service = socket.create_server(("127.0.0.1", PORT))
abstract = socket.socket(socket.AF_UNIX)
abstract.bind("\0glovebox-neighbour")
abstract.listen()
ctypes.CDLL(None).shmget(KEY, ctypes.c_size_t(4096), 0o1666)
for folder in ("/tmp", "/dev/shm"):
    with open(f"{folder}/neighbour", "w", encoding="ascii") as file:
        file.write(TOKEN)

print("READY", flush=True)
sys.stdin.read()
print(f"HIT {hits}" if hits else "QUIET", flush=True)
