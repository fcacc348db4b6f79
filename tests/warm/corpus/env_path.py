# env: PATH=/nowhere:/usr/bin
import os
import shutil
import sys

print(os.environ["PATH"], os.get_exec_path(), shutil.which("python3"), sys.executable)
