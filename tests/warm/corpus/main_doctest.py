def double(x):
    """
    >>> double(2)
    4
    >>> double(3)
    7
    """
    return 2 * x


import doctest  # noqa: E402

print(doctest.testmod())
