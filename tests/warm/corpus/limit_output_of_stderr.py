# flags: --output-limit 1k
import sys

sys.stderr.write("e" * 5000)
