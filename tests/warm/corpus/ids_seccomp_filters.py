# known: a cell has its nursery's filter, too
for line in open("/proc/self/status"):
    if line.startswith("Seccomp_filters"):
        print(line, end="")
