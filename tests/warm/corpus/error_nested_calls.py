# status: 1
def outer(x):
    return inner(x) + 1


def inner(x):
    return 1 / x


outer(0)
