import sys

print(list(sys.modules)[:5], [n for n in sys.modules if n in ("site", "os", "__main__", "io")])
