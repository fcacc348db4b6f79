# status: 1
import sys

sys.stderr.write("no newline before the traceback")
raise ValueError
