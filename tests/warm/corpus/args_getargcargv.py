# known: Py_GetArgcArgv() still tells how the nursery was started
# What the C level was given, by the entry that old scripts use to rename a process.
# argv: a b
import ctypes

argc = ctypes.c_int()
argv = ctypes.POINTER(ctypes.c_wchar_p)()
ctypes.pythonapi.Py_GetArgcArgv(ctypes.byref(argc), ctypes.byref(argv))
print(argc.value, [argv[i] for i in range(argc.value)])
