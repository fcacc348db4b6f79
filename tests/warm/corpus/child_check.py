# status: 1
import subprocess

subprocess.run(["false"], check=True)
