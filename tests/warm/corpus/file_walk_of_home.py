import os

print(os.path.expanduser("~"), list(os.walk(os.path.expanduser("~"))), oct(os.stat(os.environ["HOME"]).st_mode))
