import linecache

print(repr(linecache.getline(__file__, 3)), repr(linecache.getline("/none", 1)))
print(list(linecache.cache) == [__file__])
