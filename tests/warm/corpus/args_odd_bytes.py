# how: $ sh -c 'exec python3 /code/script.py "$(printf "\377\376")"'
# warm: auto
# An argument that is not UTF-8 becomes surrogates.
import os
import sys

print(ascii(sys.argv), os.fsencode(sys.argv[1]))
