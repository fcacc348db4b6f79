import multiprocessing
import time


def work():
    time.sleep(0.2)
    print("child ends", flush=True)


multiprocessing.Process(target=work).start()
print("main ends", flush=True)
