# flags: --output {out}
import os

print(os.getcwd(), os.stat("/output").st_uid, oct(os.stat("/output").st_mode))
os.mkdir("/output/sub")
with open("/output/sub/result.csv", "w") as file:
    file.write("a,b\n1,2\n")
os.symlink("sub", "/output/link")
