# files: script.py=# -*- coding: latin-1 -*-\nprint(ascii("\xfc\xe9"))\n
