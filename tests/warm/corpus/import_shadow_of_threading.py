# files: threading.py=print("my threading")\n
import threading

print(threading.__file__, hasattr(threading, "Thread"))
