# status: 1
def f(n):
    try:
        if n:
            f(n - 1)
        else:
            raise OSError(2, "bottom", "/a/path")
    except Exception as error:
        raise RuntimeError(n) from error


f(2)
