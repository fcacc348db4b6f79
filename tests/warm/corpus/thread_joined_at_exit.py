import threading
import time

threading.Thread(target=lambda: (time.sleep(0.2), print("thread ends"))).start()
print("main ends")
