# files: token.py=print("my token")\nraise ImportError("broken by a shadow")\n
# status: 1
import inspect  # noqa: F401
