import subprocess

process = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
print(len(process.communicate(b"x" * 300_000)[0]), process.returncode)
