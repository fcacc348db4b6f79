# how: $ python3 '/code/my script ü.txt' a
# files: my script ü.txt=import sys\nprint(ascii(__file__), ascii(sys.argv))\nraise ValueError(1)\n
# status: 1
