print(__spec__, type(__loader__), __loader__.name, __loader__.path, __cached__)
