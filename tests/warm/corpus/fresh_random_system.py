# differs: yes
import random

print(random.SystemRandom().random())
