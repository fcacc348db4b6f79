import subprocess

said = subprocess.run(["grep", "^Sig[BIC]", "/proc/self/status"], capture_output=True)
print(said.stdout.decode())
said = subprocess.run(["grep", "^Sig[BIC]", "/proc/self/status"], capture_output=True, restore_signals=False)
print(said.stdout.decode())
