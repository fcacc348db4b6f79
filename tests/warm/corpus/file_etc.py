import os

print(sorted(os.listdir("/etc")))
for name in ("passwd", "group", "hosts", "resolv.conf", "nsswitch.conf"):
    try:
        print(name, open(f"/etc/{name}").read())
    except OSError as error:
        print(error)
