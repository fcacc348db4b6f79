# The largest size that a small script had is small.
import resource

print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 100_000)
