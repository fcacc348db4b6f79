import copyreg

print(sorted(t.__name__ for t in copyreg.dispatch_table), copyreg._extension_registry)
