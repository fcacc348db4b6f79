"""Threat: a new user namespace gives capabilities, and with them most of the kernel's bugs.

Layer: seccomp. It would succeed when unshare() makes any namespace.
"""

import _kit

FLAGS = {
    "NEWTIME": 0x80,
    "NEWNS": 0x20000,
    "NEWCGROUP": 0x2000000,
    "NEWUTS": 0x4000000,
    "NEWIPC": 0x8000000,
    "NEWUSER": 0x10000000,
    "NEWPID": 0x20000000,
    "NEWNET": 0x40000000,
}


def attack() -> str | None:
    """Ask for each namespace alone, with a user namespace, and with high bits set."""
    made = []
    for name, flag in FLAGS.items():
        for more in (0, FLAGS["NEWUSER"], 1 << 32):
            _, error = _kit.in_child_result(lambda: _kit.syscall("unshare", flag | more))
            if error == 0 and name not in made:
                made.append(name)
    return " ".join(made)


_kit.run(attack)
