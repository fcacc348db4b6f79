# flags: -e 'A=x=y;$HOME "q"'
import os

print(repr(os.environ["A"]))
