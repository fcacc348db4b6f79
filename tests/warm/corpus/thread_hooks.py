import threading

print(threading.gettrace(), threading.getprofile(), threading.stack_size())
print(threading.excepthook is threading.__excepthook__, threading._threading_atexits)
