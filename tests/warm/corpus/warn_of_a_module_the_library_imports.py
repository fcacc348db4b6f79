# A filter that is set before the import sees what the import does.
import warnings

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import cgi  # noqa: F401
    import crypt  # noqa: F401
    import telnetlib  # noqa: F401
print([str(w.message)[:20] for w in caught])
