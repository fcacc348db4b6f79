import subprocess

first = subprocess.Popen(["printf", "b\\na\\nc\\n"], stdout=subprocess.PIPE)
second = subprocess.Popen(["sort"], stdin=first.stdout, stdout=subprocess.PIPE)
first.stdout.close()
print(second.communicate()[0], first.wait(), second.returncode)
