# env: PYTHONIOENCODING=latin-1:replace
# warm: auto
import sys

print(sys.stdout.encoding, sys.stdout.errors, sys.stdin.encoding, sys.stderr.errors, "ü€")
