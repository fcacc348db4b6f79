# needs: numpy
import numpy as np

print(np.arange(6).reshape(2, 3) @ np.ones((3, 2)), np.linspace(0, 1, 3), np.__version__)
