# files: pkg/__init__.py=from .a import A\nfrom . import sub\n__all__ = ["A"]\n
# files: pkg/a.py=A = 1\n
# files: pkg/sub/__init__.py=from ..a import A as B\n
import pkg
from pkg import *  # noqa: F403
from pkg.sub import B

print(pkg.__path__, A, B, pkg.__package__, pkg.sub.__name__)  # noqa: F405
