# status: 1
from os import no_such_name  # noqa: F401
