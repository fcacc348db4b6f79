# how: $ env A=1 python3 /code/script.py
# warm: auto
import os

print(os.environ["A"], os.getpid())
