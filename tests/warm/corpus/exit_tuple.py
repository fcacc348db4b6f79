# status: 1
import sys

sys.exit((1, "two"))
