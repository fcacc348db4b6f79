import fcntl
import os

print([hex(fcntl.fcntl(fd, fcntl.F_GETFL)) for fd in (0, 1, 2)])
print([fcntl.fcntl(fd, fcntl.F_GETFD) for fd in (0, 1, 2)], [os.get_blocking(fd) for fd in (0, 1, 2)])
print([os.get_inheritable(fd) for fd in (0, 1, 2)], fcntl.fcntl(1, 1032))
