# flags: --memory 100m
# status: 137
# mask: \(peak [^)]*\)
# mask: -9\n
# How far it came before it was killed; on cgroup v1 the parent may still say how its child ended.
import os

if os.fork() == 0:
    x = bytearray(300 << 20)
print(os.waitstatus_to_exitcode(os.wait()[1]))
