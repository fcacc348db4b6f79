# env: A=1
import ctypes

environ = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
found = []
while environ[len(found)]:
    found.append(environ[len(found)])
print(sorted(found))
