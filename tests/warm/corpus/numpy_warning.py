# needs: numpy
import numpy as np

print(np.array([1.0]) / 0, np.log(-1))
