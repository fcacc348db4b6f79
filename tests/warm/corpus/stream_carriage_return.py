import sys

for n in range(3):
    print(f"\r{n}", end="")
sys.stdout.write("\x1b[31mred\x1b[0m\n\0\n")
