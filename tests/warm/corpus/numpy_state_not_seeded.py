# needs: numpy
# differs: yes
import numpy as np

print(np.random.get_state()[1][:3], np.random.get_state()[2:])
