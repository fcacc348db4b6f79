# how: code
# status: 1
def f():
    raise ValueError("with its line")


f()
