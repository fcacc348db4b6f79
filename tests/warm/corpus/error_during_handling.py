# status: 1
try:
    [][1]
except IndexError:
    undefined  # noqa: B018, F821
