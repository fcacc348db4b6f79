# status: 1
try:
    1 / 0
except ZeroDivisionError:
    raise ValueError("alone") from None
