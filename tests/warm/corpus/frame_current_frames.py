import sys
import threading

frames = sys._current_frames()
print(len(frames), list(frames) == [threading.main_thread().ident])
print([f.f_code.co_filename for f in frames.values()])
