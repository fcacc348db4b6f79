import os
import sys

print(sys._stdlib_dir, os.__file__, sys._framework, sys.abiflags)
