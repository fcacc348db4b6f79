import io
import sys

sys.stdin = io.StringIO("from memory\n")
print(input(), repr(sys.__stdin__.read()))
