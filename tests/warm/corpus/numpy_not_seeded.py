# needs: numpy
# differs: yes
import numpy as np

print(np.random.rand())
