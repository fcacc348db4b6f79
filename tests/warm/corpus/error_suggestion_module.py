# A module of the library that was not imported: 3.12 and later say so.
# status: 1
print(math.pi)  # noqa: F821
