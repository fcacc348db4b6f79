# mask: 0x[0-9a-f]{6,}
# The address of the thread is random.
# status: 139
import ctypes
import faulthandler

faulthandler.enable()


def f():
    ctypes.string_at(0)


f()
