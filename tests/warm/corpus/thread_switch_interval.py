import sys

print(sys.getswitchinterval(), sys.thread_info)
