# Setting such a variable in the running program changes its children only.
import os
import subprocess
import sys

os.environ["PYTHONHASHSEED"] = "7"
out = [subprocess.check_output([sys.executable, "-c", "print(hash('a'))"]) for _ in range(2)]
print(out[0] == out[1], sys.flags.hash_randomization)
