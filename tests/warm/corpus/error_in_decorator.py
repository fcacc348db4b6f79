# status: 1
def decorate(function):
    def wrapped():
        return function()

    return wrapped


@decorate
def f():
    raise LookupError


f()
