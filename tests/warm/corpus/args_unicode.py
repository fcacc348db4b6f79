# argv: äöü 日本 🙂
import sys

print(ascii(sys.argv), [len(a) for a in sys.argv])
