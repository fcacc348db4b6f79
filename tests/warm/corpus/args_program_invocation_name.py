import ctypes

libc = ctypes.CDLL(None)
for name in ("program_invocation_name", "program_invocation_short_name"):
    print(ctypes.c_char_p.in_dll(libc, name).value)
