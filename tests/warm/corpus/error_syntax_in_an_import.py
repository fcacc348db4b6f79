# status: 1
# files: broken.py=def f(:\n    pass\n
import broken  # noqa: F401
