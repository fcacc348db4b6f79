# Whether a child may look into its parent depends on whether that is dumpable.
import subprocess
import sys

code = """
import os
p = os.getppid()
print(os.readlink(f"/proc/{p}/exe"), len(os.listdir(f"/proc/{p}/fd")) > 2, os.stat(f"/proc/{p}/mem").st_uid)
print(open(f"/proc/{p}/environ", "rb").read(4))
"""
print(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True))
