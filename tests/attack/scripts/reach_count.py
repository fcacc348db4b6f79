"""Threat: every system call that the kernel answers is code of the kernel to attack.

Layer: seccomp. It would succeed when more calls than the number given answer anything but
what the filter answers (a call that blocks, or ends the caller otherwise than by SIGSYS, answers).
"""

import os
import signal
import sys

import _kit

LAST = 470  # of Linux 6.18
BLOCKED_AFTER = 0.3


def answers(number: int) -> bool:
    """Make one call with zeroes in a child."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read_end)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, BLOCKED_AFTER)
        try:
            error = _kit.syscall(number, 0, 0, 0, 0, 0, 0)[1]
            os.write(write_end, bytes([error in _kit.REFUSED]))
        finally:  # also in what fork() and its kin made of us
            os._exit(0)
    os.close(write_end)
    refused = os.read(read_end, 1)
    os.close(read_end)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return status != -signal.SIGSYS and refused != b"\x01"


def attack() -> str | None:
    """Count them; the figure is printed in any case."""
    numbers = [number for number in range(LAST) if answers(number)]
    print(f"{len(numbers)} system calls are answered: {numbers}", flush=True)
    return str(len(numbers)) if len(numbers) > int(sys.argv[1]) else None


_kit.run(attack)
