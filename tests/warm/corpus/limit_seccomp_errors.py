import ctypes
import os

NEW_USER = 0x10000000
libc = ctypes.CDLL(None, use_errno=True)
calls = {"mount": 165, "bpf": 321, "ptrace": 101, "keyctl": 250, "io_uring_setup": 425}
for name, number in calls.items():
    print(name, libc.syscall(number, 0, 0, 0, 0, 0), os.strerror(ctypes.get_errno()))
print("unshare", libc.unshare(NEW_USER), os.strerror(ctypes.get_errno()))
