# Modules that every interpreter has loaded cannot be shadowed.
# files: os.py=raise SystemExit("never imported")\n
# files: codecs.py=raise SystemExit("never imported")\n
# files: io.py=raise SystemExit("never imported")\n
# files: sys.py=raise SystemExit("never imported")\n
import codecs
import io
import os
import sys

print(os.sep, codecs.__name__, io.__name__, sys.__name__)
