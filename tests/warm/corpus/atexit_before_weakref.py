import atexit

atexit.register(print, "ours")
import weakref  # noqa: E402


class Thing:
    pass


thing = Thing()
weakref.finalize(thing, print, "finalize")
