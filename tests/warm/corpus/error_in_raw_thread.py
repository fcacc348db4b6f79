# mask: 0x[0-9a-f]{6,}
# Addresses are random.
import _thread
import time


def work():
    raise ValueError("in a raw thread")


_thread.start_new_thread(work, ())
time.sleep(0.2)
print("goes on")
