# status: 1
print(10**5000)
