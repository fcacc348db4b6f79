import bz2
import gzip
import lzma
import zlib

data = b"abc" * 1000
for module in (bz2, gzip, lzma, zlib):
    print(module.__name__, module.decompress(module.compress(data)) == data)
