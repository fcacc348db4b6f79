import atexit
import traceback


@atexit.register
def last():
    for frame in traceback.extract_stack():
        print(frame.filename, frame.name, frame.line)
