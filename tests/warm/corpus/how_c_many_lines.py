# how: -c
for n in range(3):
    if n % 2:
        print(n)
    else:
        print("even")
