import os

for call in (os.setsid, lambda: os.setpgid(0, 0), lambda: os.tcgetpgrp(0), lambda: os.getlogin()):
    try:
        print(call())
    except OSError as error:
        print(error)
try:
    open("/dev/tty")
except OSError as error:
    print(error)
