# status: 1
input("? ")
