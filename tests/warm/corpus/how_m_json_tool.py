# how: -m json.tool
# stdin: {"b": [1, 2], "a": null}
