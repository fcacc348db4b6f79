import weakref


class Thing:
    pass


thing = Thing()
weakref.finalize(thing, print, "finalized")
weakref.finalize(thing, print, "not at exit").atexit = False
print("end")
