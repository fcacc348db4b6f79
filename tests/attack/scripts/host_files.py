"""Threat: secrets of the host in /etc, in homes, in /var and /run.

Layer: the root holds the image and nothing else; /etc is made up. It would succeed when any of
them can be read.
"""

import glob

import _kit

NAMES = """
/etc/shadow /etc/shadow- /etc/gshadow /etc/sudoers /etc/machine-id /etc/fstab /etc/hostname-host
/etc/ssh/ssh_host_* /etc/ssl/private/* /root/.* /home/*/.ssh/* /home/*/.bash_history /boot/*
/var/log/* /var/lib/* /run/* /var/run/docker.sock /run/user/* /lost+found /mnt/* /media/* /srv/*
""".split()


def attack() -> str | None:
    """Read one byte of each."""
    paths = [path for name in NAMES for path in glob.glob(name)]
    return _kit.readable(*paths)


_kit.run(attack, host=True)
