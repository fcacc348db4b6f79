# how: -c
# flags: -v {code}:/code:ro -w /code/work
# files: work/random.py=X = "from the working directory"\n
import random

print(random.X)
