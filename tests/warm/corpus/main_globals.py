print(list(globals()))
print(dir())
