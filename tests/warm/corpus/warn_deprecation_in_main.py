# Shown because it is in __main__, and only there.
# files: helper.py=import warnings\nwarnings.warn("in a helper", DeprecationWarning)\n
import warnings

warnings.warn("in main", DeprecationWarning)
warnings.warn("pending", PendingDeprecationWarning)
import helper  # noqa: E402, F401
