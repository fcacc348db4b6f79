# status: 1
import sys

sys.exit(3.5)
