def numbers():
    try:
        yield 1
        yield 2
    finally:
        print("finally")


stream = numbers()
print(next(stream))
