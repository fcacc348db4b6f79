# mask: 0x[0-9a-f]{6,}
# Addresses are random.
import atexit


@atexit.register
def fail():
    raise ValueError("in atexit")


print("end")
