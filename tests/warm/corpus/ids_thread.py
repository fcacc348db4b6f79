import os
import threading

print(threading.get_native_id() == os.getpid(), threading.main_thread().native_id)
thread = threading.Thread(target=lambda: print(threading.get_native_id()))
thread.start()
thread.join()
