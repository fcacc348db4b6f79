import threading
import time


def work():
    time.sleep(0.2)
    print(threading.main_thread().is_alive(), threading.enumerate()[-1].name)


threading.Thread(target=work).start()
