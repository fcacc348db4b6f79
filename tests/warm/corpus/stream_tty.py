# flags: -t
import os
import sys

print(sys.stdin.isatty(), sys.stdout.isatty(), sys.stdout.line_buffering, os.ttyname(1))
print(os.get_terminal_size(), os.tcgetpgrp(0), os.getsid(0))
sys.stderr.write("err\n")
