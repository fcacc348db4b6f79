# env: PYTHONPATH=/code/lib:/nowhere
# files: lib/deep.py=X = "from PYTHONPATH"\n
# warm: auto
import sys

import deep

print(sys.path, deep.X)
