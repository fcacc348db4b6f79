import time
from concurrent.futures import ThreadPoolExecutor

pool = ThreadPoolExecutor(1)
pool.submit(lambda: (time.sleep(0.2), print("worker ends")))
print("main ends")
