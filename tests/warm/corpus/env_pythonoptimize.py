# env: PYTHONOPTIMIZE=1
# warm: auto
import sys

assert False, "assertions are off"
print(__debug__, sys.flags.optimize)
