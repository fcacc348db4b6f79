# Strings of the supervisor's are not in the memory of the process: its request sockets, paths.
import re

found = set()
with open("/proc/self/mem", "rb") as memory:
    for line in open("/proc/self/maps"):
        area, mode = line.split()[:2]
        if not mode.startswith("rw") or "[v" in line:
            continue
        start, end = (int(x, 16) for x in area.split("-"))
        try:
            memory.seek(start)
            data = memory.read(end - start)
        except OSError:
            continue
        found |= set(re.findall(rb"/run/[a-z]+/glovebox[\w./-]*|glovebox-[a-z]+\.sock", data))
print(sorted(f for f in found if not f.endswith((b"[", b"glovebox"))))
