import builtins

print(__builtins__ is builtins, "_" in vars(builtins))
print(sorted(vars(builtins)))
