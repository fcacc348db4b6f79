# flags: --pids-limit 4
import threading

stop = threading.Event()
started = 0
try:
    for _ in range(10):
        threading.Thread(target=stop.wait).start()
        started += 1
except RuntimeError as error:
    print(started, error)
stop.set()
