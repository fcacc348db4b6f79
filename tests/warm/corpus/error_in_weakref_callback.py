# mask: 0x[0-9a-f]{6,}
# Addresses are random.
import weakref


class Thing:
    pass


thing = Thing()
ref = weakref.ref(thing, lambda ref: 1 / 0)
del thing
print("goes on")
