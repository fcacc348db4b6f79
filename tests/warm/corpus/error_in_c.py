# how: -c
# status: 1
def f():
    1 / 0


f()
