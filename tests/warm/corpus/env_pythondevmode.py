# env: PYTHONDEVMODE=1
# warm: auto
import sys

print(sys.flags.dev_mode, sys.warnoptions)
open("/dev/null")  # noqa: SIM115
