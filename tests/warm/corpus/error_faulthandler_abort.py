# mask: 0x[0-9a-f]{6,}
# The address of the thread is random.
# status: 134
import faulthandler

faulthandler.enable()
faulthandler._sigabrt()
