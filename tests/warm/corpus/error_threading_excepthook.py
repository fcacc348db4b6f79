import threading

threading.excepthook = lambda args: print("hook", args.exc_type.__name__, args.thread.name)
thread = threading.Thread(target=lambda: [][0])
thread.start()
thread.join()
