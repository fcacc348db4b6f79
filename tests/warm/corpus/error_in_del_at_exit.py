# known: linecache is gone when __del__ runs at the end
# mask: 0x[0-9a-f]{6,}
# Addresses are random.
class Thing:
    def __del__(self):
        raise ValueError("in __del__ at exit")


thing = Thing()
