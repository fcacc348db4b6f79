# flags: --cpuset-cpus 0
# warm: auto
import os

print(os.sched_getaffinity(0), os.cpu_count())
