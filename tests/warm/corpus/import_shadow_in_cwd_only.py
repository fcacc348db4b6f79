# The working directory is not searched for a script that lies elsewhere.
# flags: -v {code}:/code:ro -w /code/work
# files: work/random.py=raise SystemExit("from the working directory")\n
import random

print(random.__name__)
