# The alternative stack of a fault handler that is not enabled does not exist.
import ctypes


class Stack(ctypes.Structure):
    _fields_ = [("sp", ctypes.c_void_p), ("flags", ctypes.c_int), ("size", ctypes.c_size_t)]


stack = Stack()
print(ctypes.CDLL(None).sigaltstack(None, ctypes.byref(stack)), stack.flags, stack.size)
