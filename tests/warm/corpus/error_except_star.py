# status: 1
try:
    raise ExceptionGroup("g", [ValueError(1), TypeError(2), OSError(3)])
except* ValueError as caught:
    print("caught", caught.exceptions)
