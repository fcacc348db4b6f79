# env: A=1
# env: B=two words
# env: EMPTY=
# env: LANG=C.UTF-8
import os

print([os.environ.get(n) for n in ("A", "B", "EMPTY", "LANG", "MISSING")])
