import sys

print(sys.get_int_max_str_digits(), sys.int_info, sys.float_info.max, sys.maxsize, sys.maxunicode)
