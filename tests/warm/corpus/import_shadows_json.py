# files: json.py=def dumps(x):\n    return "mine"\n
import json

print(json.dumps({}), json.__file__)
