# stdin: abc
import os
import stat

print([stat.S_IFMT(os.fstat(fd).st_mode) == stat.S_IFIFO for fd in (0, 1, 2)])
