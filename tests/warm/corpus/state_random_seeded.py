import random

random.seed(42)
print(random.random(), random.randint(1, 1000), random.sample(range(100), 5))
print(random.Random("text").random(), random.gauss(0, 1))
