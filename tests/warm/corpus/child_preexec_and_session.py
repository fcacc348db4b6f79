import os
import subprocess

print(subprocess.run(["sh", "-c", "ps >/dev/null 2>&1; echo $$"], start_new_session=True, capture_output=True).stdout)
print(subprocess.run(["pwd"], cwd="/usr", preexec_fn=lambda: os.umask(0), capture_output=True).stdout)
