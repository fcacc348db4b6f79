import sys

sys.stdout.write("never flushed by the script")
