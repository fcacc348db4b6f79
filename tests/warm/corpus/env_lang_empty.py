# env: LANG=
# warm: auto
import locale
import os
import sys

print(sys.flags.utf8_mode, sys.stdout.encoding, locale.setlocale(locale.LC_CTYPE, None))
print(os.environ.get("LC_CTYPE"), locale.getlocale())
