import atexit

atexit.register(print, "ours")
from concurrent.futures import ThreadPoolExecutor  # noqa: E402

pool = ThreadPoolExecutor(1)
pool.submit(lambda: (__import__("time").sleep(0.2), print("worker ends")))
print("end")
