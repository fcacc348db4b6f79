# how: $ python3 -OO /code/script.py
# warm: auto
"""A docstring."""

assert False
print(__doc__, __debug__)
