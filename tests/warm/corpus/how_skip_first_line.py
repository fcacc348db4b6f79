# how: $ python3 -x /code/script.py
# files: script.py=this is not python\nprint("second line")\n
# warm: auto
