# Importing it warns the first time, in the line that imports.
import warnings

warnings.simplefilter("always")
import asyncore  # noqa: E402, F401
import imp  # noqa: E402, F401
