import os
import subprocess

os.putenv("PUT", "1")
print(os.environ.get("PUT"), subprocess.getoutput("echo $PUT"))
os.unsetenv("PUT")
print(repr(subprocess.getoutput("echo $PUT")))
