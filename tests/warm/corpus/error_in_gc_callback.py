# mask: 0x[0-9a-f]{6,}
# Addresses are random.
import gc


def fail(phase, info):
    raise ValueError(phase)


gc.callbacks.append(fail)
gc.collect()
gc.callbacks.clear()
print("goes on")
