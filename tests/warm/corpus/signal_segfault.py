# status: 139
import ctypes

print("before", flush=True)
ctypes.string_at(0)
