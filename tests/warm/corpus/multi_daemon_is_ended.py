import multiprocessing
import time

process = multiprocessing.Process(target=time.sleep, args=(60,), daemon=True)
process.start()
print("main ends")
