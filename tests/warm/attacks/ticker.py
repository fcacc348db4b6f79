"""Another cell's program: says READY, and answers each line of stdin until there is no more."""

import sys

print("READY", flush=True)
for line in sys.stdin:
    print("still here", line.strip(), flush=True)
print("DONE", flush=True)
