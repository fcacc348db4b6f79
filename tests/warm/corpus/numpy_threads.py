# needs: numpy
import os

import numpy as np

np.ones((300, 300)) @ np.ones((300, 300))
print(len(os.listdir("/proc/self/task")))
