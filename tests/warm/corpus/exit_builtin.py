# status: 3
print("leaving")
exit(3)
