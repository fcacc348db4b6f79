"""Threat: what is written to a root that may be changed reaches the image below it.

Layer: the overlay, and the image bound read-only below. It would succeed when the bytes, a name, a
mode or an attribute of the image change, which the test looks at from outside; or when the marks of
the overlay itself, which are attributes of files, can be set from inside to have it show something else.
"""

import contextlib
import mmap
import os

import _kit

FILE = "/etc/passwd"
MARKS = ("redirect", "opaque", "metacopy", "origin", "impure", "whiteout")


def change() -> None:
    """Change a file of the image in every way that there is, before and after it was copied."""
    early = os.open(FILE, os.O_RDONLY)
    view = mmap.mmap(early, 0, mmap.MAP_SHARED, mmap.PROT_READ)
    for attempt in (
        lambda: os.chmod(FILE, 0o600),
        lambda: os.utime(FILE, (1, 1)),
        lambda: os.setxattr(FILE, "user.x", b"x"),
        lambda: os.truncate(FILE, 1),
        lambda: open(FILE, "a").write("changed"),
        lambda: os.chmod(early, 0o640),
        lambda: open(f"/proc/self/fd/{early}", "r+").write("changed"),
        lambda: os.rename("/var/lib", "/var/other"),
        lambda: os.rename(FILE, "/etc/other"),
        lambda: os.link("/etc/other", FILE),
        lambda: os.unlink("/etc/other"),
        lambda: os.rmdir("/usr/local/bin"),
    ):
        with contextlib.suppress(OSError):
            attempt()
    view.close()


def marked() -> list[str]:
    """Set the overlay's own marks; return those that a directory then shows something else for."""
    found = []
    with contextlib.suppress(OSError):
        os.mkdir("/etc/made")
    for mark in MARKS:
        for name in (f"user.overlay.{mark}", f"trusted.overlay.{mark}"):
            with contextlib.suppress(OSError):
                os.setxattr("/etc/made", name, b"/usr")
        if os.path.isdir("/etc/made") and os.listdir("/etc/made"):
            found.append(mark)
    return found


def attack() -> str | None:
    """Both; a device of number 0:0 is the overlay's mark for what is deleted."""
    change()
    found = marked()
    with contextlib.suppress(OSError):
        os.mknod("/etc/whiteout", 0o020666, os.makedev(0, 0))
        found.append("mknod")
    return " ".join(found)


_kit.run(attack)
