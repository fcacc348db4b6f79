# The second value of a pair, kept from an earlier call, must not be left over.
import random

print(random.getstate()[0], random.getstate()[2])
