import os

for name in sorted(os.environ):
    print(name, repr(os.environ[name]))
