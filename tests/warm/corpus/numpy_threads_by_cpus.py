# needs: numpy
# flags: --cpus 2
# warm: auto
import os

import numpy as np

np.ones((500, 500)) @ np.ones((500, 500))
print(len(os.listdir("/proc/self/task")), os.environ.get("OPENBLAS_NUM_THREADS"))
