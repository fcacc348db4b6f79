import faulthandler
import signal

print(faulthandler.is_enabled(), signal.getsignal(signal.SIGSEGV))
