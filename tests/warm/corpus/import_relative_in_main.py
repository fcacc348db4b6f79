# status: 1
from . import helper  # noqa: F401
