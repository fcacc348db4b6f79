# flags: --ulimit nofile=32
# warm: auto
import os

opened = 0
try:
    while True:
        os.open("/dev/null", os.O_RDONLY)
        opened += 1
except OSError as error:
    print(opened, error)
