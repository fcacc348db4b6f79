# needs: numpy
# status: 1
import numpy as np

np.ones(3) @ np.ones(4)
