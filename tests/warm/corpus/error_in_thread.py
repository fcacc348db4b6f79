import threading


def work():
    raise ValueError("in a thread")


thread = threading.Thread(target=work)
thread.start()
thread.join()
print("goes on")
