# mask: 0x[0-9a-f]{6,}
# The address of the thread is random.
# status: 1
import faulthandler
import time

faulthandler.dump_traceback_later(0.1, exit=True)
time.sleep(10)
