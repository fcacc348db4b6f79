import os

print("buffered before the fork")
if os.fork() == 0:
    print("child")
else:
    os.wait()
    print("parent")
