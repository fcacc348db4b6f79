keep = ("Name", "Tgid", "Pid", "PPid", "NStgid", "NSpid", "NSpgid", "NSsid", "Kthread", "FDSize")
for line in open("/proc/self/status"):
    if line.startswith(keep):
        print(line, end="")
