# how: $ python3 /code/tool
# files: tool=print(__file__, __name__)\n
