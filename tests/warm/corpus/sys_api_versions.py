import sys

print(sys.version, sys.hexversion, sys.api_version, sys.copyright[:30], sys._git)
