"""bare_root - a root with little in it, entered with pivot_root(2), in which programs are run.

    bare_root.py ROOT [MOUNT...]        MOUNT: /dev, /sys: the kernel's, taken along

The kernel gives no user namespace to a process that was chrooted (user_namespaces(7)). This one is
pid 1 there: it reads an argv, a uid and a control group per line, as JSON, runs that and writes how it
ended. It goes into the group itself, if one is named, because only root can.
Everything ends with it. It loads what it needs before it enters, because nothing can be loaded afterwards.
"""

import ctypes
import encodings.idna  # noqa: F401: a codec that subprocess may ask for
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

CLONE_NEWNS, CLONE_NEWPID = 0x20000, 0x20000000
MS_REC, MS_PRIVATE, MS_BIND = 0x4000, 1 << 18, 0x1000
MNT_DETACH = 2
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}[platform.machine()]

libc = ctypes.CDLL(None, use_errno=True)


def succeed(status: int, what: str) -> None:
    """Raise an error if a call of libc failed."""
    if status < 0:
        raise OSError(ctypes.get_errno(), what)


def mount(source: str, target: str, kind: str, flags: int) -> None:
    """Mount as mount(2)."""
    arguments = (source.encode(), target.encode(), kind.encode() or None, ctypes.c_ulong(flags), None)
    succeed(libc.mount(*arguments), f"mount {target}")


def enter(root: str, taken: list[str]) -> None:
    """Make the directory this process's root; of the old one, only some mounts stay."""
    mount("none", "/", "", MS_REC | MS_PRIVATE)
    mount(root, root, "", MS_BIND)
    for place in ["/proc", *taken]:
        Path(root + place).mkdir(exist_ok=True)
    mount("proc", f"{root}/proc", "proc", 0)
    for place in taken:
        mount(place, root + place, "", MS_BIND | MS_REC)
    os.chdir(root)
    succeed(libc.syscall(PIVOT_ROOT, b".", b"."), "pivot_root")
    succeed(libc.umount2(b".", MNT_DETACH), "detach the old root")
    os.chdir("/")


def serve() -> None:
    """Run what is asked, until nobody asks any more."""
    for line in sys.stdin:
        argv, uid, group = json.loads(line)
        answer: dict[str, Any]
        try:
            if group:
                Path(group, "cgroup.procs").write_text("0")
            with Path("/.said").open("w+b") as said, Path("/.nothing").open("w+b") as nothing:
                pipes = {"stdin": nothing, "stdout": subprocess.PIPE, "stderr": said}
                ids = {"user": uid, "group": uid, "extra_groups": []}
                env = {"PATH": "/usr/bin:/bin", "HOME": "/root" if uid == 0 else "/home"}
                done = subprocess.run(argv, env=env, check=False, **ids, **pipes)
                said.seek(0)
                answer = {"status": done.returncode, "out": done.stdout.decode(), "err": said.read().decode()}
        except OSError as error:
            answer = {"status": 127, "out": "", "err": str(error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    succeed(libc.unshare(CLONE_NEWNS | CLONE_NEWPID), "unshare")
    if child := os.fork():
        os.waitpid(child, 0)
    else:
        succeed(libc.prctl(1, 9, 0, 0, 0), "die with the parent")
        enter(sys.argv[1], sys.argv[2:])
        serve()
