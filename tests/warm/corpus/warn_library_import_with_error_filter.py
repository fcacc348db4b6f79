# status: 1
import warnings

warnings.simplefilter("error")
import imp  # noqa: E402, F401
