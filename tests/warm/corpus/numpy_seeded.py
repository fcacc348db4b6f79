# needs: numpy
import numpy as np

np.random.seed(0)
print(np.random.rand(3), np.random.default_rng(1).normal(size=2))
