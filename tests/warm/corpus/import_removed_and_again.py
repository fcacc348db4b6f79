# The library is executed anew after it was removed.
import sys

import json

first = json.JSONDecodeError
for name in [n for n in sys.modules if n == "json" or n.startswith("json.")]:
    del sys.modules[name]
import json as again  # noqa: E402

print(again.JSONDecodeError is first, again is json)
