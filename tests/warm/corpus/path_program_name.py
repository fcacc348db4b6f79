import ctypes

for name in ("Py_GetProgramName", "Py_GetPrefix", "Py_GetPath", "Py_GetPythonHome"):
    call = getattr(ctypes.pythonapi, name)
    call.restype = ctypes.c_wchar_p
    print(name, call())
