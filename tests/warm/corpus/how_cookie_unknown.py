# files: script.py=# -*- coding: no-such-codec -*-\nprint(1)\n
# status: 1
