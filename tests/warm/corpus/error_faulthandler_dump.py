# mask: 0x[0-9a-f]{6,}
# The address of the thread is random.
import faulthandler


def f():
    faulthandler.dump_traceback()


f()
