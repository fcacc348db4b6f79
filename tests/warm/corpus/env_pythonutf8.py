# env: PYTHONUTF8=0
# warm: auto
import sys

print(sys.flags.utf8_mode, sys.getfilesystemencoding(), sys.stdin.errors)
