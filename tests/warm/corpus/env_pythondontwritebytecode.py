# env: PYTHONDONTWRITEBYTECODE=1
# warm: auto
import sys

print(sys.dont_write_bytecode, sys.flags.dont_write_bytecode)
