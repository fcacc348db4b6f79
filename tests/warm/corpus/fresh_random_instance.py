# differs: yes
import random

print(random.Random().random(), random._inst.getstate()[1][:2])
