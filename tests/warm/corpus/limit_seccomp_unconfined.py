# flags: --security-opt seccomp=unconfined
# warm: auto
for line in open("/proc/self/status"):
    if line.startswith(("Seccomp", "NoNewPrivs")):
        print(line, end="")
