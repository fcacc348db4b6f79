import sys

code = sys._getframe().f_code
print(code.co_name, code.co_filename, code.co_firstlineno, hex(code.co_flags), code.co_qualname)
