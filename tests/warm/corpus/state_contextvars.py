import contextvars

print(list(contextvars.copy_context()))
