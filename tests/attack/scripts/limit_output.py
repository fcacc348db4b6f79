"""Threat: output without end fills the caller's memory or disk.

Layer: the supervisor keeps a bounded part and drops the rest. The test judges it by what
arrives; the script writes as many MiB as given to both streams.
"""

import os
import sys

BLOCK = b"x" * (1 << 20)
for _ in range(int(sys.argv[1])):
    for fd in (1, 2):
        left = memoryview(BLOCK)
        while left:
            left = left[os.write(fd, left) :]
