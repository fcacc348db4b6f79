import ctypes

libc = ctypes.CDLL(None, use_errno=True)
calls = {
    "PDEATHSIG": 2, "DUMPABLE": 3, "KEEPCAPS": 7, "TIMING": 13, "NAME": 16, "SECCOMP": 21,
    "SECUREBITS": 27, "TIMERSLACK": 30, "SUBREAPER": 37, "NO_NEW_PRIVS": 39, "THP_DISABLE": 42,
}  # fmt: skip
for name, number in calls.items():
    buffer = ctypes.create_string_buffer(64)
    print(name, libc.prctl(number, buffer, 0, 0, 0), ctypes.get_errno(), buffer.raw.rstrip(b"\0"))
