# status: 120
import os

read_end, write_end = os.pipe()
os.close(read_end)
os.dup2(write_end, 1)
print("nobody reads")
