"""sentinel - a process of the host that says when a signal reached it.

Prints READY, then HIT for the first SIGURG; ends when its standard input does.
"""

import os
import signal
import sys

signal.signal(signal.SIGURG, lambda *_: os.write(1, b"HIT\n"))
os.write(1, b"READY\n")
sys.stdin.read()
