import os

for change in (os.setuid, os.setgid, os.seteuid, os.setegid):
    try:
        print(change.__name__, change(0))
    except OSError as error:
        print(change.__name__, error)
try:
    os.setgroups([0])
except OSError as error:
    print(error)
