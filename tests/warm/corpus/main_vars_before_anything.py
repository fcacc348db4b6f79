print(sorted((k, type(v).__name__) for k, v in dict(vars()).items()))
