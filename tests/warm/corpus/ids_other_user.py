# flags: --user 4321:8765
# warm: auto
import getpass
import os

print(os.getuid(), os.getgid(), os.environ.get("HOME"), os.path.expanduser("~"))
try:
    print(getpass.getuser())
except KeyError as error:
    print(error)
open("/tmp/mine", "w").close()
print(os.stat("/tmp/mine").st_uid, os.stat("/tmp").st_uid)
