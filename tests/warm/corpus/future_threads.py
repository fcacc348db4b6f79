from concurrent.futures import ThreadPoolExecutor
import threading

with ThreadPoolExecutor(2) as pool:
    print(list(pool.map(lambda x: x * x, range(5))))
    print(pool.submit(lambda: threading.current_thread().name[:-1]).result())
