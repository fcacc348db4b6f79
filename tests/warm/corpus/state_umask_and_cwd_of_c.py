import ctypes

libc = ctypes.CDLL(None)
buffer = ctypes.create_string_buffer(100)
libc.getcwd(buffer, 100)
print(buffer.value, oct(libc.umask(0)), libc.getpid(), libc.getppid())
