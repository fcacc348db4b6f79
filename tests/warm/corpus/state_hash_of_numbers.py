import sys

print(hash(12345), hash(1.5), hash((1, 2, 3)), hash(2**61), hash(float("inf")), sys.hash_info)
