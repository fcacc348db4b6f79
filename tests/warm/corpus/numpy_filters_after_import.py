# needs: numpy
import warnings

import numpy  # noqa: F401

print(*warnings.filters, sep="\n")
