# needs: pandas
import warnings

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import pandas  # noqa: F401
print([w.category.__name__ for w in caught])
