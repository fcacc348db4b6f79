import getpass
import os
import pwd

print(getpass.getuser(), pwd.getpwuid(os.getuid()), os.path.expanduser("~sandbox"))
