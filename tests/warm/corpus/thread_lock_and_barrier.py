import threading

lock = threading.Lock()
barrier = threading.Barrier(4)
total = []


def work(n):
    barrier.wait()
    with lock:
        total.append(n)


threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(sorted(total))
