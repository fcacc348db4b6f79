# env: PATH=
# warm: auto
# status: 127
import os
import sys

print(repr(os.environ["PATH"]), sys.executable, sys.prefix)
