import importlib
import json

print(importlib.reload(json) is json, json.dumps({"a": 1}))
