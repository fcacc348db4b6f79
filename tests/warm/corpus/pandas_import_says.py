# What the import prints, such as a warning about a missing package, is printed here too.
# needs: pandas
import pandas  # noqa: F401

print("imported")
