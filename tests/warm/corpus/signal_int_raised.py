# status: 130
def f():
    raise KeyboardInterrupt("by hand")


f()
