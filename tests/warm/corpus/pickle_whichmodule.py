# An object without a module is looked for in all modules that are loaded.
import pickle


def f():
    pass


f.__module__ = None
print(pickle.whichmodule(f, "f"), pickle.dumps(f, 0))
