# A process that made itself a namespace for its children would show two of them.
import os

for name in ("pid", "time"):
    try:
        here = os.readlink(f"/proc/self/ns/{name}")
        print(name, here == os.readlink(f"/proc/self/ns/{name}_for_children"))
    except OSError as error:
        print(name, error)
