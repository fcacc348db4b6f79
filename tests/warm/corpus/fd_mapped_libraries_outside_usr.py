# known: cell.so is mapped
names = {line.split(maxsplit=5)[5].strip() for line in open("/proc/self/maps") if line.count("/")}
print(sorted(n for n in names if not n.startswith("/usr/")))
