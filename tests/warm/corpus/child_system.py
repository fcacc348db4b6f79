import os

print(os.system("echo from system; exit 2"), os.popen("echo popen").read())
