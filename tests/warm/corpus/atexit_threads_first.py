import atexit
import threading
import time

atexit.register(print, "atexit comes after the thread")
threading.Thread(target=lambda: (time.sleep(0.2), print("thread"))).start()
print("end")
