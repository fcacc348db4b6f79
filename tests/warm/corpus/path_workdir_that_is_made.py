# flags: -w /srv/deep/inside
import os

print(os.getcwd(), os.listdir("/srv/deep"), oct(os.stat(".").st_mode))
