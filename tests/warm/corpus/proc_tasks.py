import os

print(os.listdir("/proc/self/task"), sorted(os.listdir("/proc/self/task/2"))[:3])
try:
    print(repr(open("/proc/self/task/2/children").read()))
except OSError as error:
    print(error)
