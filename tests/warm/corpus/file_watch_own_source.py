import os

print(os.stat(__file__).st_size == len(open(__file__, "rb").read()), oct(os.stat(__file__).st_mode))
print(os.path.samefile(__file__, "/code/script.py"), os.path.realpath(__file__))
