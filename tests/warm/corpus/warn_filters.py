import warnings

print(*warnings.filters, sep="\n")
print(warnings.defaultaction, warnings.onceregistry)
