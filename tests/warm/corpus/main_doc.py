"""This is the docstring."""

print(__doc__)
