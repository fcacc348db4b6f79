# status: 1
value = 1
print(valu)  # noqa: F821
