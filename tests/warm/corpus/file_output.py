# flags: -v {out}:/output
import os

os.makedirs("/output/a/b")
with open("/output/a/b/file.txt", "w") as file:
    file.write("content\n")
with open("/output/binary", "wb") as file:
    file.write(bytes(range(256)))
open("/output/empty", "w").close()
print(sorted(os.listdir("/output")), os.stat("/output").st_uid)
