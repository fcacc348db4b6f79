# needs: numpy
import numpy as np

print(np.geterr(), np.get_printoptions(), np.getbufsize())
