# Every module comes from the library.
import sys

files = {getattr(m, "__file__", None) or "" for m in list(sys.modules.values())}
print(sorted(f for f in files if f and not f.startswith("/usr/lib/python3")))
