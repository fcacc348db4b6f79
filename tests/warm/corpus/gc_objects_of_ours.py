# known: the guest's modules can be found by the garbage collector
# No instance of a class that lives in a module which is not the library's.
import gc
import sys

known = set(sys.stdlib_module_names) | {"builtins", "__main__"}
modules = {str(type(o).__module__).partition(".")[0] for o in gc.get_objects()}
print(sorted(modules - known))
