import __main__

__main__.added = 5
print(added, __main__.__name__)  # noqa: F821
