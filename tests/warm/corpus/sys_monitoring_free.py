import sys

print(hasattr(sys, "monitoring"), sys._getframe().f_trace_lines, sys._getframe().f_trace_opcodes)
