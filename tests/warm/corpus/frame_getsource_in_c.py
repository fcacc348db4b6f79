# how: -c
import inspect


def f():
    pass


try:
    inspect.getsource(f)
except OSError as error:
    print(error)
