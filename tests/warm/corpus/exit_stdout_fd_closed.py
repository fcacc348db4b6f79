# status: 120
import os

print("cannot be flushed")
os.close(1)
