# needs: numpy
import numpy as np

a = np.random.default_rng(0).random((200, 200))
print(np.allclose(np.linalg.inv(a) @ a, np.eye(200)), round(float(np.linalg.slogdet(a)[1]), 6))
