# how: $ python3 -i /code/script.py
# stdin: print("then", x)\n1 / 0\n
# warm: auto
x = 1
print("script")
