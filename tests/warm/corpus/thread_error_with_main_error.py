# status: 1
import threading


def work():
    raise ValueError("thread")


thread = threading.Thread(target=work)
thread.start()
thread.join()
raise KeyError("main")
