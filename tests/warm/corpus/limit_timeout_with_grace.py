# flags: --timeout 900ms --stop-timeout 5s
# status: 124
# The deadline kills at once: the grace is for a run that is cancelled.
import signal
import sys
import time

signal.signal(signal.SIGTERM, lambda *_: (print("asked to stop"), sys.exit(0)))
time.sleep(20)
