# files: lib/deep.py=WHERE = __file__\n
import sys

sys.path.append("/code/lib")
import deep  # noqa: E402

print(deep.WHERE, deep.__spec__.origin, deep.__cached__)
