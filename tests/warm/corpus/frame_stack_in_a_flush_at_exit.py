# Who calls the flush of stdout, when everything is over.
import sys


class Watch:
    def write(self, text):
        pass

    def flush(self):
        frame = sys._getframe()
        while frame:
            sys.__stdout__.write(f"{frame.f_code.co_name}\n")
            frame = frame.f_back


sys.stdout = Watch()
