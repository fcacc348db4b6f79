import os
import random

random.seed(5)
if os.fork() == 0:
    random.seed(5)
    print(random.random(), flush=True)
    os._exit(0)
os.wait()
print(random.random())
