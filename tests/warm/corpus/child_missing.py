# status: 1
import subprocess

subprocess.run(["no-such-program"])
