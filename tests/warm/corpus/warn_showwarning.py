import warnings

warnings.showwarning = lambda *args, **kw: print("mine", args[0], args[1].__name__, args[3])
warnings.warn("x")
