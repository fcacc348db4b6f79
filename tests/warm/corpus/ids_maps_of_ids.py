# known: a cell's user namespace, made without privilege, denies setgroups
# mask: \b\d{5,}\b
# As root, the outer ids come from the supervisor's pid.
for name in ("uid_map", "gid_map", "setgroups", "loginuid"):
    try:
        print(name, open(f"/proc/self/{name}").read().split())
    except OSError as error:
        print(name, error)
