import os

print(os.fstat(1).st_ino == os.fstat(2).st_ino, os.fstat(1).st_uid, oct(os.fstat(1).st_mode))
print(os.fstat(0).st_rdev, oct(os.fstat(0).st_mode))
