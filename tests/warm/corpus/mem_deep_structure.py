x = None
for _ in range(100_000):
    x = [x]
del x
print("freed")
