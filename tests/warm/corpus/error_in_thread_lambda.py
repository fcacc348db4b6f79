import threading

thread = threading.Thread(target=lambda: 1 / 0, name="mine")
thread.start()
thread.join()
