"""Threat: what is left in /output is taken by the supervisor, with the user's rights: links to
secrets, pipes that block, devices, set-uid programs, names that fool a terminal or a shell.

Layer: the collector takes regular files and directories only and follows nothing. The test
judges it by what arrives; with a plain volume at /output all of it does.
"""

import contextlib
import os
import socket
import sys

os.chdir("/output")
with open("good.txt", "w", encoding="ascii") as file:
    file.write("good\n")
os.symlink("/etc/shadow", "link")
os.symlink(sys.argv[1], "link-to-secret")
os.symlink("/", "link-to-root")
os.symlink("link", "link-to-link")
os.symlink("..", "climb")
os.mkfifo("pipe")
with contextlib.suppress(OSError):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("socket")
with open("setuid", "w", encoding="ascii") as file:
    file.write("#!/bin/sh\nid\n")
with contextlib.suppress(PermissionError):  # the filter's part; here the collector's is tried
    os.chmod("setuid", 0o6777)
os.makedirs("sticky", exist_ok=True)
os.chmod("sticky", 0o1777)
os.makedirs("locked/inner")
with open("locked/inner/file", "w", encoding="ascii") as file:
    file.write("inner\n")
os.chmod("locked", 0)
with open("unreadable", "w", encoding="ascii") as file:
    file.write("mine\n")
os.chmod("unreadable", 0)
for name in (
    b"new\nline",
    b"escape\x1b[2J",
    b"bad\xff\xfeutf8",
    b"-rf",
    b" ",
    b"semi;colon",
    b"n" * 255,
):
    with open(name, "wb") as file:
        file.write(b"named\n")
print("PLANTED", flush=True)
