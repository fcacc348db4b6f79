# No file that is gone, no memory file, no socket of ours is mapped.
kinds = set()
for line in open("/proc/self/maps"):
    name = line.split(maxsplit=5)[5:]
    if name and ("deleted" in name[0] or "memfd" in name[0] or "/dev/" in name[0]):
        kinds.add(name[0].strip())
print(sorted(kinds))
