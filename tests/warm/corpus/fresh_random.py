# differs: yes
import random

print(random.random())
