"""limited_namespaces - run a command in a user namespace with no namespaces of a kind left, or few ids.

    python3 limited_namespaces.py KIND|COUNT COMMAND [ARG...]

Ids stay what they are, all of them for root, or the first COUNT. /proc/sys/user is that of the reader's user namespace.
"""

import ctypes
import os
import sys

CLONE_NEWUSER = 0x10000000
CLONE_NEWNS = 0x20000  # so that root of ours may clone mounts


def enter(kind: str, command: list[str], ready: int, go: int) -> None:
    """Become the command, once the ids are mapped; until then all capabilities are ours."""
    if ctypes.CDLL(None).unshare(CLONE_NEWUSER | CLONE_NEWNS):
        sys.exit("cannot: no user namespace for this user")
    os.write(ready, b"x")
    if not os.read(go, 1):
        sys.exit("the ids could not be mapped")
    if not kind.isdigit():
        with open(f"/proc/sys/user/max_{kind}_namespaces", "w") as limit:
            limit.write("0")
    os.execv(command[0], command)


def map_ids(child: int, count: int = 2**32 - 1) -> None:
    """Map what we may."""
    if os.geteuid():
        with open(f"/proc/{child}/setgroups", "w") as setgroups:
            setgroups.write("deny")
    for name, own in (("gid_map", os.getegid()), ("uid_map", os.geteuid())):
        with open(f"/proc/{child}/{name}", "w") as mapped:
            mapped.write(f"{own} {own} 1" if os.geteuid() else f"0 0 {count}")


def main(kind: str, *command: str) -> int:
    """Return the exit status of the command."""
    ready, go = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.close(go[1])  # if our parent ends, we hear it
        enter(kind, list(command), ready[1], go[0])
    os.close(ready[1])
    if os.read(ready[0], 1):
        map_ids(child, *([int(kind)] if kind.isdigit() else []))
        os.write(go[1], b"x")
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
