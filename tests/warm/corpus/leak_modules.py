# runs: 3
import builtins
import json
import os
import sys

print(hasattr(json, "mark"), hasattr(builtins, "mark"), "MARK" in os.environ, sys.getrecursionlimit())
json.mark = builtins.mark = os.environ["MARK"] = "left"
sys.setrecursionlimit(5000)
