# env: PYTHONINTMAXSTRDIGITS=1000
# warm: auto
import sys

print(sys.get_int_max_str_digits())
