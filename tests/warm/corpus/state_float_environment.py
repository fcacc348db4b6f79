# Neither the rounding mode nor the flags of the processor were changed.
import ctypes

libm = ctypes.CDLL("libm.so.6")
print(libm.fegetround(), libm.fetestexcept(0x3D), 5e-324 / 2, 2.2250738585072014e-308 / 2 > 0)
