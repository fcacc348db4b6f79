# Which modules of the library are loaded: a script may ask `"numpy" in sys.modules`.
import sys

print(*sorted(sys.modules), sep="\n")
