# flags: --output {out}
# status: 139
import ctypes

with open("/output/early", "w") as file:
    file.write("written before the crash")
ctypes.string_at(0)
