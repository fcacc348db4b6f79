import sys

sys.path.clear()
try:
    import this_is_nowhere  # noqa: F401
except ImportError as error:
    print(error)
print(sys.path)
