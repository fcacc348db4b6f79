# status: 4
import os
import threading
import time

threading.Thread(target=os._exit, args=(4,)).start()
time.sleep(10)
