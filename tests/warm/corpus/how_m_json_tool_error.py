# how: -m json.tool
# stdin: {broken
# status: 1
