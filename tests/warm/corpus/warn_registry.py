import warnings

print("__warningregistry__" in globals())
warnings.warn("x")
print(len(__warningregistry__))  # noqa: F821
