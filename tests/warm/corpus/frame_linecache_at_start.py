import linecache

print(linecache.cache)
