import threading
import traceback


def work():
    for frame in traceback.extract_stack():
        print(frame.filename, frame.name)


thread = threading.Thread(target=work)
thread.start()
thread.join()
