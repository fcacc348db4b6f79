# how: $ sh -c 'python3 -c "import py_compile; py_compile.compile(\"/code/script.py\", \"/tmp/s.pyc\")" && exec python3 /tmp/s.pyc x'
# warm: auto
import sys

print(sys.argv, __file__, __cached__, type(__loader__).__name__)
