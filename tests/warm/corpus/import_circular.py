# files: a.py=import b\nX = 1\n
# files: b.py=import a\nprint(hasattr(a, "X"))\n
import a

print(a.X, a.b.__name__)
