# status: 255
import sys

sys.exit(2**80)
