# env: LANG=C
# env: LC_ALL=C
# warm: auto
import locale
import os
import sys

print(sys.flags.utf8_mode, sys.stdout.encoding, sys.stdout.errors, sys.getfilesystemencoding())
print(locale.setlocale(locale.LC_ALL, None), os.environ.get("LC_CTYPE"))
