# env: LANG=xx_YY.UTF-8
# warm: auto
import locale
import os
import sys

print(sys.flags.utf8_mode, sys.stdout.encoding, locale.setlocale(locale.LC_CTYPE, None))
print(os.environ.get("LC_CTYPE"))
try:
    locale.setlocale(locale.LC_ALL, "")
except locale.Error as error:
    print(error)
