"""racer - another user of the host, who owns a directory and exchanges two names in it.

    racer.py UID COUNT FOLDER ONE OTHER      ends after COUNT exchanges, or with its standard input

A name that is missing counts as a try: "as soon as it appears" is such a race, too. Says
"ready" first.
"""

import ctypes
import os
import sys

LIBC = ctypes.CDLL(None, use_errno=True)
AT_FDCWD, RENAME_EXCHANGE = -100, 2


def main() -> None:
    """Exchange."""
    uid, count = int(sys.argv[1]), int(sys.argv[2])
    os.chdir(sys.argv[3])  # before: a stranger may not get there
    one, other = os.fsencode(sys.argv[4]), os.fsencode(sys.argv[5])
    if uid != os.geteuid():
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    os.set_blocking(0, False)
    print("ready", flush=True)
    for number in range(count):
        LIBC.renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE)
        if number % 256 == 0 and ended():
            break


def ended() -> bool:
    """Tell whether whoever started us wants no more of it."""
    try:
        return os.read(0, 1) == b""
    except BlockingIOError:
        return False


if __name__ == "__main__":
    main()
