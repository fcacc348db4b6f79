# status: 1
x = [1, 2]
assert x == [1, 3], f"lists differ: {x}"
