import sys

print("äöü 日本語 🙂")
sys.stderr.write("ß\n")
