# stdin: Ada\n36\n
name = input("name? ")
age = int(input("age? "))
print(name, age)
