# flags: -e COLUMNS=40
import os
import pprint
import shutil

print(shutil.get_terminal_size())
pprint.pprint({n: "x" * 10 for n in range(5)})
try:
    os.get_terminal_size()
except OSError as error:
    print(error)
