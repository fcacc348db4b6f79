# files: space/part.py=X = 1\n
import space.part

print(space.__path__, space.__file__ if hasattr(space, "__file__") else None, space.part.X)
