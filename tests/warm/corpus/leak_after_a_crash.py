# runs: 3
# status: 139
import ctypes
import os

print(os.listdir("/tmp"), flush=True)
open("/tmp/left", "w").close()
ctypes.string_at(0)
