# A write through a mapping of the interpreter's data stays private.
# runs: 3
import ctypes

value = ctypes.c_int.in_dll(ctypes.pythonapi, "Py_VerboseFlag")
print(value.value)
value.value = 0
ctypes.c_int.in_dll(ctypes.pythonapi, "Py_QuietFlag").value += 1
print(ctypes.c_int.in_dll(ctypes.pythonapi, "Py_QuietFlag").value)
