# What a process has used starts at nothing, however old what it comes from.
import resource
import time

print(time.process_time() < 1, time.thread_time() < 1)
print(resource.getrusage(resource.RUSAGE_SELF).ru_utime < 1)
print(resource.getrusage(resource.RUSAGE_CHILDREN)[:3])
