import queue
import threading

jobs = queue.Queue()
done = []


def work():
    while (item := jobs.get()) is not None:
        done.append(item * 2)


thread = threading.Thread(target=work)
thread.start()
for n in range(5):
    jobs.put(n)
jobs.put(None)
thread.join()
print(done)
