for line in open("/proc/self/status"):
    if line.startswith(("VmLck", "VmPin", "HugetlbPages", "VmSwap", "CoreDumping", "THP")):
        print(line, end="")
