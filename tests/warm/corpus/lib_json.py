import json

print(json.dumps({"b": [1, 2.5, None, True], "a": "ü"}, indent=1, sort_keys=True))
try:
    json.loads("{bad")
except json.JSONDecodeError as error:
    print(error)
