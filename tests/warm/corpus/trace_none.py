import sys
import threading

print(sys.gettrace(), sys.getprofile(), threading.gettrace(), threading.getprofile())
