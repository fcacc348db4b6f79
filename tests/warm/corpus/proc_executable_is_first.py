first = open("/proc/self/maps").readline().split()
print(first[1:3], first[5])
