# status: 44
import sys

sys.exit(2**32 + 300)
