import os

read_end, write_end = os.pipe()
os.close(read_end)
try:
    os.write(write_end, b"x")
except BrokenPipeError as error:
    print(error)
