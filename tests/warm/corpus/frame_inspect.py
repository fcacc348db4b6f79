import inspect

print(inspect.currentframe().f_back, len(inspect.stack()))
print([(f.filename, f.lineno, f.function, f.code_context, f.index) for f in inspect.stack()])
