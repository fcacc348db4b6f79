# files: traceback.py=print("my traceback")\n
# files: linecache.py=print("my linecache")\n
# files: warnings.py=print("my warnings")\n
# status: 1
1 / 0
