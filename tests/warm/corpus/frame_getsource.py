import inspect


def f(x):
    # with a comment
    return x


class C:
    def method(self):
        return 1


print(inspect.getsource(f), inspect.getsource(C), inspect.getsource(C.method))
print(inspect.getsourcefile(f), inspect.getmodule(f).__name__)
