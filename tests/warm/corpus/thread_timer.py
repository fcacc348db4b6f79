import threading

timer = threading.Timer(0.05, print, ("rang",))
timer.start()
cancelled = threading.Timer(60, print, ("never",))
cancelled.start()
cancelled.cancel()
print(timer.name, type(timer).__name__)
