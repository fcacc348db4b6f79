# Exceptions and other classes made at import are found among the subclasses.
print(sorted(c.__module__ + "." + c.__name__ for c in KeyboardInterrupt.__subclasses__()))
print(sorted(c.__module__ + "." + c.__name__ for c in SystemExit.__subclasses__()))
print(sorted(c.__module__ + "." + c.__name__ for c in StopIteration.__subclasses__()))
