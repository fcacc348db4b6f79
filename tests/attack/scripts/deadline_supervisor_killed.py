"""Threat: the supervisor is killed with SIGKILL: who ends the sandbox?

Layer: parent-death, and the control socket's end of file. The test kills glovebox and judges by
looking for our command line among the host's processes.
"""

import os
import signal
import time

for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
    try:
        signal.signal(number, signal.SIG_IGN)
    except OSError:
        pass
if os.fork() == 0:
    os.setsid()
os.write(1, b"READY\n")  # both processes, each in one write
time.sleep(60)
