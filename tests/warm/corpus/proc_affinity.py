import os

print(os.sched_getaffinity(0), os.cpu_count(), [l for l in open("/proc/self/status") if "allowed_list" in l])
