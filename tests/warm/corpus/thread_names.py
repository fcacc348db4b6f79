import threading

threads = [threading.Thread(target=lambda: None) for _ in range(3)]
print([t.name for t in threads], threading.Thread(target=print).name)
