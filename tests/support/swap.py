"""swap - a test that needs swap: on our virtual machine it has some in compressed memory."""

import os
import subprocess
from pathlib import Path

from support.case import Case


def swaps() -> list[str]:
    """Return the lines of /proc/swaps below its heading."""
    return Path("/proc/swaps").read_text().splitlines()[1:]


def need_swap(case: Case) -> None:
    """Skip the test unless there is swap; in our virtual machine make some until its end."""
    if not swaps() and os.uname().nodename == "glovebox-vm":
        make_swap(case)
    if not swaps():
        case.skipTest("cannot: this machine has no swap")


def make_swap(case: Case) -> None:
    """Have swap until the test ends."""
    subprocess.run(["busybox", "modprobe", "zram"], check=True)
    Path("/sys/block/zram0/disksize").write_text("256M")
    for tool in ("mkswap", "swapon"):
        subprocess.run(["busybox", tool, "/dev/zram0"], check=True, capture_output=True)
    case.addCleanup(Path("/sys/block/zram0/reset").write_text, "1")
    case.addCleanup(subprocess.run, ["busybox", "swapoff", "/dev/zram0"], check=True)
