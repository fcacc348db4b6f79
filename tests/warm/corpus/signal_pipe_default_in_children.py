import subprocess

done = subprocess.run("yes | head -1; echo ${PIPESTATUS[0]}", shell=True, executable="/bin/bash", capture_output=True)
print(done.stdout, done.stderr)
