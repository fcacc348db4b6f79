# stdin: only\n
# status: 1
print(input())
print(input("more? "))
