import sys

for n in range(20_000):
    print(n, "x" * 50)
sys.stderr.write("e" * 300_000)
