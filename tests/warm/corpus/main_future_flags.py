import __future__

source = "def f(x: missing): pass\n"
try:
    exec(source)
except NameError as error:
    print("evaluated", error)
code = compile("x", "x", "eval")
print(code.co_flags & 0x1FF0000, __future__.annotations.compiler_flag)
