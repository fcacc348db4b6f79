# status: 1
def numbers():
    yield 1
    raise StopIteration("becomes RuntimeError")


list(numbers())
