import timeit

x = 3
print(type(timeit.timeit("x + 1", globals=globals(), number=10)))
print(timeit.Timer("pass").autorange.__name__)
