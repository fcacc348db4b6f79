with open("/dev/stdout", "w") as out:
    out.write("by name\n")
with open("/dev/fd/2", "w") as out:
    out.write("by number\n")
