# env: PYTHONSAFEPATH=1
# warm: auto
import sys

print(sys.flags.safe_path, sys.path[0])
