# status: 1
# A flag of the compiler must not leak from the code that executes the script.
def f(x: undefined_name): ...  # noqa: F821, E704
