# runs: 3
import resource

print(resource.getrlimit(resource.RLIMIT_NOFILE), resource.getrlimit(resource.RLIMIT_FSIZE))
resource.setrlimit(resource.RLIMIT_NOFILE, (50, 50))
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
