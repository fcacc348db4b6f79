import os

changes = (
    lambda: open("/x", "w"),
    lambda: open(__file__, "a"),
    lambda: os.mkdir("/usr/x"),
    lambda: open("/etc/passwd", "a"),
    lambda: os.chmod("/usr/bin/env", 0o777),
    lambda: os.mkdir("/dev/x"),
    lambda: open("/proc/sys/kernel/hostname", "w"),
    lambda: os.unlink("/usr/bin/env"),
)
for change in changes:
    try:
        print(change())
    except OSError as error:
        print(error)
