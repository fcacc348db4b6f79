# flags: --memory 100m
# status: 137
# mask: \(peak [^)]*\)
# How far it came before it was killed.
import os

if os.fork() == 0:
    x = bytearray(300 << 20)
print(os.waitstatus_to_exitcode(os.wait()[1]))
