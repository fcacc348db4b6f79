# files: script.py=
