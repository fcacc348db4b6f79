# status: 1
try:
    {}["key"]
except KeyError as error:
    raise ValueError("translated") from error
