# A child draws other numbers than its parent: the hook of the library is in place.
import os
import random

read_end, write_end = os.pipe()
if os.fork() == 0:
    os.write(write_end, repr(random.random()).encode())
    os._exit(0)
print(float(os.read(read_end, 100)) != random.random())
