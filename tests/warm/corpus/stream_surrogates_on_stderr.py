import sys

sys.stderr.write("\udcff \ud800\n")
