print(open("/proc/self/cgroup").read(), open("/proc/self/cpuset").read())
